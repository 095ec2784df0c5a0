package main

import (
	"encoding/json"
	"reflect"
)

// enable turns feature gates on; releases whose packages ask for none ignore them.
var enable = func(gates []string) error { return nil }

// call calls a constructor whose parameters differ from release to release:
// strings in the given order, and the zero value for anything else but a map of
// containers. It returns the constructor's first result and its error.
func call(function interface{}, containers map[string][2]string, words ...string) (reflect.Value, error) {
	target := reflect.ValueOf(function)
	arguments := make([]reflect.Value, target.Type().NumIn())
	for index := range arguments {
		wanted := target.Type().In(index)
		switch {
		case wanted.Kind() == reflect.String:
			arguments[index], words = reflect.ValueOf(words[0]), words[1:]
		case wanted.Name() == "ContainerMap":
			arguments[index] = containerMap(wanted, containers)
		default:
			arguments[index] = reflect.Zero(wanted)
		}
	}
	results := target.Call(arguments)
	return results[0], failure(results)
}

// containerMap fills a ContainerMap by its method Add, whose parameters are a
// pod's UID, a container's name and its id.
func containerMap(wanted reflect.Type, containers map[string][2]string) reflect.Value {
	made := reflect.MakeMap(wanted)
	for id, pod := range containers {
		add := made.MethodByName("Add")
		add.Call([]reflect.Value{reflect.ValueOf(pod[0]), reflect.ValueOf(pod[1]), reflect.ValueOf(id)})
	}
	return made
}

func failure(results []reflect.Value) error {
	err, _ := results[len(results)-1].Interface().(error)
	return err
}

// marshaller is the part of a checkpoint that writes it.
type marshaller interface {
	MarshalCheckpoint() ([]byte, error)
}

// fill decodes a value into a checkpoint, or into its field CheckpointData, which
// is what such a release is given to write, and writes it.
func fill(checkpoint marshaller, value json.RawMessage) ([]byte, error) {
	target := interface{}(checkpoint)
	if data := reflect.ValueOf(checkpoint).Elem().FieldByName("CheckpointData"); data.IsValid() {
		target = data.Addr().Interface()
	}
	if err := json.Unmarshal(value, target); err != nil {
		return nil, err
	}
	return checkpoint.MarshalCheckpoint()
}
