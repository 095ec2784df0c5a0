package main

import (
	"encoding/json"

	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
)

func init() {
	kinds["cpu_manager_state"] = kind{
		write: func(value json.RawMessage) ([]byte, error) { return fill(newCPU(), value) },
		load: func(directory string, asked request) error {
			_, err := call(state.NewCheckpointState, asked.Containers, directory, "state", asked.Policy)
			return err
		},
	}
}
