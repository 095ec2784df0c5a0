//go:build instance

package main

import (
	"io"

	"k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/kubelet"
)

func writeConfig(cfg *kubeadm.InitConfiguration, directory string) error {
	own := &v1beta1.KubeletConfiguration{ContainerRuntimeEndpoint: cfg.NodeRegistration.CRISocket}
	if err := kubelet.WriteInstanceConfigToDisk(own, directory); err != nil {
		return err
	}
	const noPatches = ""
	return kubelet.WriteConfigToDisk(&cfg.ClusterConfiguration, directory, noPatches, io.Discard)
}
