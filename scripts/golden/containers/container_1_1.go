//go:build kubelet1.1

package main

import (
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/api/install" // where 1.2 registers its conversions
	"k8s.io/kubernetes/pkg/api/v1"
)

// container is the v1 type of 1.1 and 1.2, which those kubelets convert and hash
// as api.Container.
type container struct{ v1.Container }

// OverJSON marks a kubelet that asks for JSON: the flag kube-api-content-type is not there before 1.3.
func (c *container) OverJSON() {}

// Convert is the conversion of the kubelet's codec, without the defaults that
// this codec sets too: an API server has set them before.
func (c *container) Convert() (interface{}, error) {
	var internal api.Container
	err := api.Scheme.Convert(&c.Container, &internal)
	return internal, err
}

// init puts nothing in the place of each default that a container can get.
func init() {
	err := api.Scheme.AddDefaultingFuncs(
		func(*v1.Container) {},
		func(*v1.ContainerPort) {},
		func(*v1.HTTPGetAction) {},
		func(*v1.ObjectFieldSelector) {},
		func(*v1.Probe) {},
	)
	if err != nil {
		panic(err)
	}
}
