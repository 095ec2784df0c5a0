package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/utils/cpuset"
)

// managers is how a node's resource managers are set, and what they find.
type managers struct {
	Machine        machineInfo                       `json:"machine"`
	CPUPolicy      string                            `json:"cpuPolicy"`
	CPUOptions     map[string]string                 `json:"cpuOptions"`
	ReservedCPUs   string                            `json:"reservedCPUs"`
	MemoryPolicy   string                            `json:"memoryPolicy"`
	ReservedMemory []kubeletconfig.MemoryReservation `json:"reservedMemory"`
	Reservation    v1.ResourceList                   `json:"reservation"`
	TopologyPolicy string                            `json:"topologyPolicy"`
	TopologyScope  string                            `json:"topologyScope"`
	// States are the files in the kubelet's root directory, by name.
	States map[string]string `json:"states"`
}

// unready are sources of pods that have not been read to their end, as at a start.
type unready struct{}

func (unready) AddSource(string)             {}
func (unready) AllReady() bool               { return false }
func (unready) GetSources() sets.Set[string] { return nil }

// silent knows the status of no pod, and updates no container.
type silent struct{}

func (silent) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }

func (silent) UpdateContainerResources(context.Context, string, *runtimeapi.ContainerResources) error {
	return nil
}

// handler starts the managers with their files, as pkg/kubelet/cm/container_manager_linux.go
// does, and returns what admits pods.
func (m *managers) handler(directory string) (lifecycle.PodAdmitHandler, error) {
	for name, text := range m.States {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	topology, err := newTopology(m)
	if err != nil {
		return nil, err
	}
	reserved, err := cpuset.Parse(m.ReservedCPUs)
	if err != nil {
		return nil, err
	}
	ctx, logger := context.Background(), klog.Background()
	cpus, err := cpumanager.NewManager(logger, m.CPUPolicy, m.CPUOptions, time.Hour, &m.Machine, reserved,
		m.Reservation, directory, topology)
	if err != nil {
		return nil, err
	}
	topology.AddHintProvider(logger, cpus)
	memory, err := memorymanager.NewManager(logger, m.MemoryPolicy, &m.Machine, m.Reservation, m.ReservedMemory,
		directory, topology)
	if err != nil {
		return nil, err
	}
	topology.AddHintProvider(logger, memory)
	none := func() []*v1.Pod { return nil }
	if err := cpus.Start(ctx, none, unready{}, silent{}, silent{}, containermap.NewContainerMap()); err != nil {
		return nil, err
	}
	if err := memory.Start(ctx, none, unready{}, silent{}, silent{}, containermap.NewContainerMap()); err != nil {
		return nil, err
	}
	return topology, nil
}

// written reads the files that managers wrote into a directory.
func written(directory string) (map[string]string, error) {
	entries, err := os.ReadDir(directory)
	states := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(directory, entry.Name()))
		if err != nil {
			return nil, err
		}
		states[entry.Name()] = string(text)
	}
	return states, err
}
