//go:build kubelet1.0

package main

import "hashcompat.io/oracle/containers/api"

// container decodes into the internal type at once: in 1.0 the v1 type has the
// same fields, keys and integers, and the conversion copies them one by one.
type container struct{ api.Container }

// OverJSON marks a kubelet that asks for JSON: the flag kube-api-content-type is not there before 1.3.
func (c *container) OverJSON() {}

// Convert has nothing left to do.
func (c *container) Convert() (interface{}, error) { return c.Container, nil }
