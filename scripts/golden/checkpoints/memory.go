//go:build memory

package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

func init() {
	kinds["memory_manager_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) { return fill(newMemory(), value) },
		load: func(directory string, asked request) error {
			_, err := call(state.NewCheckpointState, nil, directory, "state", asked.Policy)
			return err
		},
	}
}
