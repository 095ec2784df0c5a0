//go:build clientgo

package main

import v1 "k8s.io/client-go/pkg/api/v1"

// container is what kubelets of 1.6 and 1.7 hash, as client-go published it
// before there was k8s.io/api.
type container = v1.Container
