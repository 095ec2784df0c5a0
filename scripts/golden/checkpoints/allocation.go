//go:build allocation

package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/allocation/state"
)

func init() {
	kinds["allocated_pods_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) {
			var info state.PodResourceCheckpointInfo
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
			_, err := call(state.NewStateCheckpoint, nil, directory, "state")
			return err
		},
	}
}
