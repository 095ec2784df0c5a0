//go:build !(clientgo || kubelet1.0 || kubelet1.1 || kubelet1.5)

package main

import v1 "k8s.io/api/core/v1"

// container is what kubelets hash from 1.8 on.
type container = v1.Container
