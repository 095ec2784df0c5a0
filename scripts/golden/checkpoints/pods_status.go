//go:build podsv1

package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/status/state"
)

func init() {
	kinds["pod_status_manager_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) {
			return fill(state.NewPodResourceAllocationCheckpoint(), value)
		},
		load: func(directory string, asked request) error {
			_, err := state.NewStateCheckpoint(directory, "state")
			return err
		},
	}
}
