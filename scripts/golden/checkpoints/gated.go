//go:build gated

package main

import (
	"encoding/json"

	cpu "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	memory "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

// With the gate PodLevelResourceManagers off, 1.36 writes the older of its two forms.

func newCPU() marshaller { return &cpu.CPUManagerCheckpointV2{} }

func newMemory() marshaller { return &memory.MemoryManagerCheckpointV1{} }

func init() {
	kinds["cpu_manager_state gated"] = kind{
		write: func(value json.RawMessage) ([]byte, error) { return fill(&cpu.CPUManagerCheckpoint{}, value) },
	}
	kinds["memory_manager_state gated"] = kind{
		write: func(value json.RawMessage) ([]byte, error) { return fill(&memory.MemoryManagerCheckpoint{}, value) },
	}
}
