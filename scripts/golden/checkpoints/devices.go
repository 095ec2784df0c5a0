package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/checkpointmanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/checkpoint"
)

// older loads the form of 1.19 and before, where a release still knows it.
var older func(manager checkpointmanager.CheckpointManager) error

func init() {
	kinds["kubelet_internal_checkpoint"] = kind{
		write: func(value json.RawMessage) ([]byte, error) {
			var made checkpoint.Data
			if err := json.Unmarshal(value, &made); err != nil {
				return nil, err
			}
			return made.MarshalCheckpoint()
		},
		load: loadDevices,
	}
}

// loadDevices does what readCheckpoint of pkg/kubelet/cm/devicemanager/manager.go does.
func loadDevices(directory string, asked request) error {
	manager, err := checkpointmanager.NewCheckpointManager(directory)
	if err != nil {
		return err
	}
	empty := checkpoint.New(make([]checkpoint.PodDevicesEntry, 0), make(map[string][]string))
	err = manager.GetCheckpoint("state", empty)
	if err != nil && older != nil && older(manager) == nil {
		return nil
	}
	return err
}
