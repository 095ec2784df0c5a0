//go:build drav2

package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/cm/dra/state"
)

func init() {
	kinds["dra_manager_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) {
			var given struct{ Entries state.ClaimInfoStateList }
			if err := json.Unmarshal(value, &given); err != nil {
				return nil, err
			}
			checkpoint, err := state.NewCheckpoint(given.Entries)
			if err != nil {
				return nil, err
			}
			return checkpoint.MarshalCheckpoint()
		},
		load: func(directory string, asked request) error {
			found, err := state.NewCheckpointer(directory, "state")
			if err != nil {
				return err
			}
			loaded, err := found.GetOrCreate()
			if err != nil {
				return err
			}
			_, err = loaded.GetClaimInfoStateList()
			return err
		},
	}
}
