//go:build !detects

package main

import (
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/config"
)

func initConfiguration(text []byte) (*kubeadm.InitConfiguration, error) {
	return config.BytesToInitConfiguration(text)
}
