// The oracle of kubelet 1.5: the shared program around that release's own v1.Container and api.Container.
package main

import (
	"hashcompat.io/oracle/common"
	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/api/v1"
)

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

func main() {
	common.Main(func() common.Object { return new(container) })
}
