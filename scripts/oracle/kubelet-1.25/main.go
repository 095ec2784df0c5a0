// The oracle of kubelet 1.25: the shared program around that release's own v1.Container.
package main

import (
	"hashcompat.io/oracle/common"
	v1 "k8s.io/api/core/v1"
)

func main() {
	common.Main(func() common.Object { return new(v1.Container) })
}
