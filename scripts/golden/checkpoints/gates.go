//go:build gates

package main

import (
	"k8s.io/apiserver/pkg/util/feature"
	_ "k8s.io/kubernetes/pkg/features"
)

func init() {
	enable = func(gates []string) error {
		set := map[string]bool{"PodLevelResourceManagers": false}
		for _, gate := range gates {
			set[gate] = true
		}
		return feature.DefaultMutableFeatureGate.SetFromMap(set)
	}
}
