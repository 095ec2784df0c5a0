//go:build admitscontext

package main

import (
	"context"

	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

func admit(handler lifecycle.PodAdmitHandler, asked *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	asked.Operation = lifecycle.AddOperation
	return handler.Admit(context.Background(), asked)
}
