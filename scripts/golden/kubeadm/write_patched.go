//go:build patched

package main

import (
	"io"

	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/kubelet"
)

func writeConfig(cfg *kubeadm.InitConfiguration, directory string) error {
	const noPatches = ""
	return kubelet.WriteConfigToDisk(&cfg.ClusterConfiguration, directory, noPatches, io.Discard)
}
