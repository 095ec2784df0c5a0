//go:build memory && !gated

package main

import "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"

func newMemory() marshaller { return &state.MemoryManagerCheckpoint{} }
