//go:build tools

// Package servers names the programs that scripts/suites/servers.py builds, so that go mod tidy keeps what they need.
package servers

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
