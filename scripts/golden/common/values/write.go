// Package values prints fixed Go values of every kind that go-spew's format.go
// handles, with enough type information for another program to rebuild them.
package values

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/davecgh/go-spew/spew"
)

// record is one line of golden/values/values.jsonl.
type record struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Package  string          `json:"package"`
	TypeSpec string          `json:"typeSpec"`
	Types    map[string]spec `json:"types"`
	Value    interface{}     `json:"value"`
	V        string          `json:"v"`
	SharpV   string          `json:"sharpv"`
}

// Write prints every value's %v and %#v text as one JSON line.
func Write(out io.Writer, printer *spew.ConfigState) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	seen := map[string]bool{}
	for _, each := range all() {
		if seen[each.name] {
			return fmt.Errorf("two values are named %s", each.name)
		}
		seen[each.name] = true
		if err := encoder.Encode(describe(each, printer)); err != nil {
			return err
		}
	}
	return nil
}

func describe(each named, printer *spew.ConfigState) record {
	types := map[string]spec{}
	value := reflect.ValueOf(&each.value).Elem()
	line := record{
		Name: each.name, Type: "interface {}", Package: "values", TypeSpec: "interface{}",
		Types:  types,
		V:      printer.Sprintf("%v", each.value),
		SharpV: printer.Sprintf("%#v", each.value),
	}
	if !value.IsNil() {
		value = value.Elem()
		line.Type, line.TypeSpec = value.Type().String(), typeSpec(value.Type(), types)
		line.Value = encode(value, types)
	}
	return line
}
