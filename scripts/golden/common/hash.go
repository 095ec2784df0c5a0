package common

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/fnv"
	"io"
	"reflect"
	"strings"

	"github.com/davecgh/go-spew/spew"
)

// era is set by the linker (-X) from releases.json, the only table of eras.
var era string

// printer is the one of pkg/util/hash/hash.go (pkg/util/hash.go to 1.1), unchanged since 1.0.
var printer = &spew.ConfigState{
	Indent:         " ",
	SortKeys:       true,
	DisableMethods: true,
	SpewKeys:       true,
}

// steps makes of a container the object that DeepHashObject is given.
type steps func(Object) (interface{}, error)

// hashing is what HashContainer does: the object it prepares, the digest it feeds.
type hashing struct {
	prepare steps
	digest  func() hash.Hash32
}

// hashingOf names the four ways in which HashContainer of
// pkg/kubelet/container/helpers.go has worked.
func hashingOf(era string) (hashing, error) {
	known := map[string]hashing{
		"spew-adler32":            {converted, adler32.New},
		"spew-fnv32a":             {byValue, fnv.New32a},
		"json-spew-fnv32a":        {asJSON, fnv.New32a},
		"picked-json-spew-fnv32a": {pickedAsJSON, fnv.New32a},
	}
	if found, ok := known[era]; ok {
		return found, nil
	}
	return hashing{}, fmt.Errorf("this oracle was built for no era that it knows: %q", era)
}

// converted is 1.0 to 1.5: DeepHashObject(hash, *container) of the internal type.
func converted(container Object) (interface{}, error) {
	if known, ok := container.(Converter); ok {
		return known.Convert()
	}
	return nil, errors.New("this release has no internal type")
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
func hashOnly(container Object, how hashing) (uint32, error) {
	object, err := how.prepare(container)
	if err != nil {
		return 0, err
	}
	digest := how.digest()
	_, err = printer.Fprintf(digest, "%#v", object)
	return digest.Sum32(), err
}

// HashContainer gives the text and hash of a pointer to a v1.Container that
// another program decoded, by the era that this one is linked with.
func HashContainer(container Object) (string, uint32, error) {
	how, err := hashingOf(era)
	if err != nil {
		return "", 0, err
	}
	return textAndHash(container, how)
}

func textAndHash(container Object, how hashing) (string, uint32, error) {
	object, err := how.prepare(container)
	if err != nil {
		return "", 0, err
	}
	var text strings.Builder
	digest := how.digest()
	_, err = printer.Fprintf(io.MultiWriter(digest, &text), "%#v", object)
	return text.String(), digest.Sum32(), err
}
