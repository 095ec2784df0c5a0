package common

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"strings"

	"github.com/davecgh/go-spew/spew"
)

// era is set by the linker (-X) from releases.json, the only table of eras.
var era string

// printer is the one of pkg/util/hash/hash.go, unchanged since 1.6.
var printer = &spew.ConfigState{
	Indent:         " ",
	SortKeys:       true,
	DisableMethods: true,
	SpewKeys:       true,
}

// steps makes of a container the object that DeepHashObject is given.
type steps func(Object) (interface{}, error)

// stepsOf names the three ways in which HashContainer of
// pkg/kubelet/container/helpers.go has prepared a v1.Container.
func stepsOf(era string) (steps, error) {
	known := map[string]steps{
		"spew-fnv32a":             byValue,
		"json-spew-fnv32a":        asJSON,
		"picked-json-spew-fnv32a": pickedAsJSON,
	}
	if found, ok := known[era]; ok {
		return found, nil
	}
	return nil, fmt.Errorf("this oracle was built for no era that it knows: %q", era)
}

// byValue is 1.6 to 1.15 (kubernetes/kubernetes#40297): DeepHashObject(hash, *container).
func byValue(container Object) (interface{}, error) {
	return reflect.ValueOf(container).Elem().Interface(), nil
}

// asJSON is 1.16 to 1.30 (kubernetes/kubernetes#57741).
func asJSON(container Object) (interface{}, error) {
	return json.Marshal(container)
}

// pickedAsJSON is 1.31 and later (kubernetes/kubernetes#124220).
func pickedAsJSON(container Object) (interface{}, error) {
	fields := reflect.ValueOf(container).Elem()
	return json.Marshal(map[string]string{
		"name":  fields.FieldByName("Name").String(),
		"image": fields.FieldByName("Image").String(),
	})
}

// hashOnly does what the kubelet does and keeps no text.
func hashOnly(container Object, steps steps) (uint32, error) {
	object, err := steps(container)
	if err != nil {
		return 0, err
	}
	digest := fnv.New32a()
	_, err = printer.Fprintf(digest, "%#v", object)
	return digest.Sum32(), err
}

func textAndHash(container Object, steps steps) (string, uint32, error) {
	object, err := steps(container)
	if err != nil {
		return "", 0, err
	}
	var text strings.Builder
	digest := fnv.New32a()
	_, err = printer.Fprintf(io.MultiWriter(digest, &text), "%#v", object)
	return text.String(), digest.Sum32(), err
}
