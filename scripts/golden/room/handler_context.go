//go:build withcontext

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/preemption"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func handlerOf(k *kubelet) lifecycle.PodAdmitHandler {
	kill := func(pod *v1.Pod, _ bool, _ *int64, _ func(*v1.PodStatus)) error { return k.kill(pod) }
	critical := preemption.NewCriticalPodAdmissionHandler(
		func() []*v1.Pod { return append([]*v1.Pod{}, k.active...) }, kill, &record.FakeRecorder{})
	return lifecycle.NewPredicateAdmitHandler(
		func(context.Context, bool) (*v1.Node, error) { return k.node, nil }, critical,
		func(*framework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil })
}
