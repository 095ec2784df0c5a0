//go:build admitscontext

package main

import (
	cadvisorapi "github.com/google/cadvisor/lib/model"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

type machineInfo = cadvisorapi.MachineInfo

func newTopology(m *managers) (topologymanager.Manager, error) {
	return topologymanager.NewManager(klog.Background(), m.Machine.Topology, m.TopologyPolicy, m.TopologyScope, nil)
}
