//go:build cluster

package main

import (
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/kubelet"
)

func writeConfig(cfg *kubeadm.InitConfiguration, directory string) error {
	return kubelet.WriteConfigToDisk(&cfg.ClusterConfiguration, directory)
}
