package main

import (
	"hashcompat.io/oracle/common"
	v1 "k8s.io/api/core/v1"
	core "k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
)

// container is what a kubelet hashes of one container of a static pod.
type container struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Hash uint32 `json:"hash"`
}

// hashContainers converts the pod back to v1, as tryDecodeSinglePod does last,
// and hashes the init containers and then the containers of the outcome.
func hashContainers(pod *core.Pod) ([]container, error) {
	var converted v1.Pod
	if err := corev1.Convert_core_Pod_To_v1_Pod(pod, &converted, nil); err != nil {
		return nil, err
	}
	hashed := []container{}
	all := append(append([]v1.Container{}, converted.Spec.InitContainers...), converted.Spec.Containers...)
	for i := range all {
		text, hash, err := common.HashContainer(&all[i])
		if err == nil {
			err = common.CheckText(text)
		}
		if err != nil {
			return nil, err
		}
		hashed = append(hashed, container{all[i].Name, text, hash})
	}
	return hashed, nil
}
