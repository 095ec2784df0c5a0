//go:build drav1

package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/cm/dra/state"
)

func init() {
	kinds["dra_manager_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) {
			return fill(state.NewDRAManagerCheckpoint(), value)
		},
		load: func(directory string, asked request) error {
			found, err := state.NewCheckpointState(directory, "state")
			if err != nil {
				return err
			}
			_, err = found.GetOrCreate()
			return err
		},
	}
}
