//go:build !admitscontext

package main

import "k8s.io/kubernetes/pkg/kubelet/lifecycle"

func admit(handler lifecycle.PodAdmitHandler, asked *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	return handler.Admit(asked)
}
