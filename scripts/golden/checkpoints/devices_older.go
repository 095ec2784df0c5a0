//go:build devicesv1

package main

import (
	"k8s.io/kubernetes/pkg/kubelet/checkpointmanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/checkpoint"
)

func init() {
	older = func(manager checkpointmanager.CheckpointManager) error {
		empty := checkpoint.NewV1(make([]checkpoint.PodDevicesEntryV1, 0), make(map[string][]string))
		return manager.GetCheckpoint("state", empty)
	}
}
