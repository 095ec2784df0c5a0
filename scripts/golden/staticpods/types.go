package main

import (
	"io"
	"reflect"

	"hashcompat.io/oracle/common"
	core "k8s.io/kubernetes/pkg/apis/core"
)

// opaque are the types that schemas/types/pod names and does not expand: two whose
// text has rules of its own, and one whose text depends on the host.
var opaque = map[string]bool{"resource.Quantity": true, "intstr.IntOrString": true, "time.Location": true}

// member is one field of a struct, in the notation of schemas/types/pod: the
// internal types have no json keys.
type member struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Embedded bool   `json:"embedded,omitempty"`
}

func writeTypes(out io.Writer) error {
	return common.WriteTypes(out, reflect.TypeOf(core.Pod{}), common.Notation{
		Expands: func(of reflect.Type) bool { return !opaque[of.String()] },
		Member: func(field reflect.StructField, typeName string) interface{} {
			return member{field.Name, typeName, field.Anonymous}
		},
	})
}
