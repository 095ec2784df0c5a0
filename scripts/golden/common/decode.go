package common

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// protobuf is what generated.pb.go gives a v1.Container, and through which
// kubelets from 1.3 on receive API pods.
type protobuf interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Decode turns one request into the container as a kubelet holds it: "file"
// keeps empty lists and maps as a manifest's decoder does, "api" sends the
// container through protobuf, which has no empty lists and maps. JSON from an
// API server has none either.
func Decode(line []byte, fresh func() Object) (Object, error) {
	var request Request
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	container := fresh()
	if err := json.Unmarshal(request.Container, container); err != nil {
		return nil, err
	}
	switch request.Source {
	case "file":
		return container, nil
	case "api":
		if _, old := container.(OverJSON); old {
			dropEmpty(reflect.ValueOf(container).Elem())
			return container, nil
		}
		return throughProtobuf(container, fresh())
	}
	return nil, fmt.Errorf("source is %q, not api or file", request.Source)
}

func throughProtobuf(sent, received Object) (Object, error) {
	from, ok := sent.(protobuf)
	if !ok {
		return nil, fmt.Errorf("%T has no protobuf", sent)
	}
	wire, err := from.Marshal()
	if err != nil {
		return nil, err
	}
	return received, received.(protobuf).Unmarshal(wire)
}

// dropEmpty leaves out what omitempty leaves out: every list and map of a
// container has that option.
func dropEmpty(value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			dropEmpty(value.Field(i))
		}
	case reflect.Ptr:
		if !value.IsNil() {
			dropEmpty(value.Elem())
		}
	case reflect.Slice, reflect.Map:
		if value.CanSet() && value.Len() == 0 {
			value.Set(reflect.Zero(value.Type()))
		}
		for i := 0; value.Kind() == reflect.Slice && i < value.Len(); i++ {
			dropEmpty(value.Index(i))
		}
	}
}
