//go:build !gated

package main

import "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"

func newCPU() marshaller { return &state.CPUManagerCheckpoint{} }
