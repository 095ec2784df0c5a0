package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
)

// served is what an API server gives a kubelet of a manifest's containers, with
// gates as they are by default: admission has no part in it.
type served struct {
	InitContainers []v1.Container `json:"initContainers,omitempty"`
	Containers     []v1.Container `json:"containers"`
}

// serve decodes and defaults, drops the fields of features that are off as the
// strategy for new pods does, converts to v1 and goes through protobuf, the form
// in which pods are stored and sent to kubelets.
func serve(manifest []byte) (interface{}, error) {
	pod, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), manifest)
	if err != nil {
		return nil, err
	}
	podutil.DropDisabledPodFields(pod.(*core.Pod), nil)
	var external, received v1.Pod
	if err := legacyscheme.Scheme.Convert(pod, &external, nil); err != nil {
		return nil, err
	}
	wire, err := external.Marshal()
	if err != nil {
		return nil, err
	}
	if err := received.Unmarshal(wire); err != nil {
		return nil, err
	}
	return served{received.Spec.InitContainers, received.Spec.Containers}, nil
}
