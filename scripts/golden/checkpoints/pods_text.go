//go:build podsv2

package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/status/state"
)

func init() {
	kinds["pod_status_manager_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) {
			var info state.PodResourceAllocationInfo
			if err := json.Unmarshal(value, &info); err != nil {
				return nil, err
			}
			checkpoint, err := state.NewCheckpoint(&info)
			if err != nil {
				return nil, err
			}
			return checkpoint.MarshalCheckpoint()
		},
		load: func(directory string, asked request) error {
			_, err := state.NewStateCheckpoint(directory, "state")
			return err
		},
	}
}
