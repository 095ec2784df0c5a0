package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // registers v1, its defaults and its conversions
)

// decodePod does what tryDecodeSinglePod of pkg/kubelet/config/common.go does
// before it calls applyDefaults. What follows there, validation above all,
// comes after the UID is computed and so has no part in it.
func decodePod(manifest []byte) (*core.Pod, error) {
	json, err := yaml.ToJSON(manifest)
	if err != nil {
		return nil, err
	}
	object, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), json)
	if err != nil {
		return nil, err
	}
	pod, ok := object.(*core.Pod)
	if !ok {
		return nil, fmt.Errorf("not a pod but %T", object)
	}
	return pod, nil
}
