package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"
)

// opaque are the types that schemas/pods names and does not expand: two whose
// text has rules of its own, and one whose text depends on the host.
var opaque = map[string]bool{"resource.Quantity": true, "intstr.IntOrString": true, "time.Location": true}

// member is one field of a struct, in the notation of schemas/pods.
type member struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Embedded bool   `json:"embedded,omitempty"`
}

// tree collects the types below one root: those of the root's package by name,
// those of any other package as reflection prints them.
type tree struct {
	home     string
	types    map[string]interface{}
	packages map[string]string
}

// writeTypes prints the compiled internal Pod as schemas/pods has it, and the
// import path behind every package name that a text can show.
func writeTypes(out io.Writer, pod interface{}) error {
	root := reflect.TypeOf(pod)
	all := tree{root.PkgPath(), map[string]interface{}{}, map[string]string{}}
	all.name(root)
	if clash, ok := all.packages["!"]; ok {
		return fmt.Errorf("two packages print alike: %s", clash)
	}
	return json.NewEncoder(out).Encode(map[string]interface{}{
		"package": path.Base(all.home), "root": root.Name(), "packages": all.packages, "types": all.types,
	})
}

func (t tree) name(of reflect.Type) string {
	if of.PkgPath() == "" {
		return t.underlying(of)
	}
	name := of.String()
	t.note(strings.SplitN(name, ".", 2)[0], of.PkgPath())
	if of.PkgPath() == t.home {
		name = of.Name()
	}
	if _, known := t.types[name]; !known && !opaque[name] {
		t.types[name] = "" // a type may contain itself
		t.types[name] = t.definition(of)
	}
	return name
}

func (t tree) note(pkg, path string) {
	if other, known := t.packages[pkg]; known && other != path {
		t.packages["!"] = other + " and " + path
		return
	}
	t.packages[pkg] = path
}

func (t tree) underlying(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Ptr:
		return "*" + t.name(of.Elem())
	case reflect.Slice:
		return "[]" + t.name(of.Elem())
	case reflect.Map:
		return fmt.Sprintf("map[%s]%s", t.name(of.Key()), t.name(of.Elem()))
	}
	return of.Kind().String()
}

func (t tree) definition(of reflect.Type) interface{} {
	if of.Kind() != reflect.Struct {
		return t.underlying(of)
	}
	members := []member{}
	for i := 0; i < of.NumField(); i++ {
		field := of.Field(i)
		members = append(members, member{field.Name, t.name(field.Type), field.Anonymous})
	}
	return members
}
