// The oracle of kubelet 1.0: the shared program around types written after schemas/types/1.0.json.
package main

import (
	"hashcompat.io/oracle/common"
	"hashcompat.io/oracle/kubelet-1.0/api"
)

// container decodes into the internal type at once: in 1.0 the v1 type has the
// same fields, keys and integers, and the conversion copies them one by one.
type container struct{ api.Container }

// OverJSON says so: the flag kube-api-content-type is not there before 1.3.
func (c *container) OverJSON() {}

// Convert has nothing left to do.
func (c *container) Convert() (interface{}, error) { return c.Container, nil }

func main() {
	common.Main(func() common.Object { return new(container) })
}
