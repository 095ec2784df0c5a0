//go:build !admitscontext

package main

import (
	cadvisorapi "github.com/google/cadvisor/info/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

type machineInfo = cadvisorapi.MachineInfo

func newTopology(m *managers) (topologymanager.Manager, error) {
	return topologymanager.NewManager(m.Machine.Topology, m.TopologyPolicy, m.TopologyScope, nil)
}
