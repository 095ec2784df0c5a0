//go:build kubelet1.5

package main

import (
	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/api/v1"
)

// container is the v1 type of 1.3 to 1.5, which those kubelets convert and hash
// as api.Container.
type container struct{ v1.Container }

// Convert does what the codec of a kubelet does with a container in which every
// other default is set already: resource lists are rounded up (in 1.3 and 1.4 as
// a part of the conversion), then the internal type is filled.
func (c *container) Convert() (interface{}, error) {
	var internal api.Container
	v1.SetDefaults_ResourceList(&c.Resources.Limits)
	v1.SetDefaults_ResourceList(&c.Resources.Requests)
	err := v1.Convert_v1_Container_To_api_Container(&c.Container, &internal, nil)
	return internal, err
}
