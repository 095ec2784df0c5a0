package common

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"
)

// member is one field of a struct, in the notation of schemas/types/container.
type member struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	JSON      string `json:"json"`
	Omitempty bool   `json:"omitempty,omitempty"`
	Embedded  bool   `json:"embedded,omitempty"`
}

// Notation says which named types a tree expands, and what it records of a field.
type Notation struct {
	Expands func(of reflect.Type) bool
	Member  func(field reflect.StructField, typeName string) interface{}
}

// tree collects the types below one root: those of the root's package by name,
// those of any other package as reflection prints them.
type tree struct {
	Notation
	home     string
	types    map[string]interface{}
	packages map[string]string
}

// WriteTypes prints a compiled type as the trees of schemas have it, so that
// they can be held against real Go and not only against Go source, and the
// import path behind every package name that a text can show.
func WriteTypes(out io.Writer, root reflect.Type, notation Notation) error {
	all := tree{notation, root.PkgPath(), map[string]interface{}{}, map[string]string{}}
	all.name(root)
	if clash, ok := all.packages["!"]; ok {
		return fmt.Errorf("two packages print alike: %s", clash)
	}
	return json.NewEncoder(out).Encode(map[string]interface{}{
		"package": path.Base(all.home), "root": root.Name(), "packages": all.packages, "types": all.types,
	})
}

// writeContainerTypes prints what this release hashes in place of a v1.Container.
func writeContainerTypes(out io.Writer, container Object) error {
	prepare := byValue
	if _, internal := container.(Converter); internal {
		prepare = converted
	}
	hashed, err := prepare(container)
	if err != nil {
		return err
	}
	root := reflect.TypeOf(hashed)
	own := func(of reflect.Type) bool { return of.PkgPath() == root.PkgPath() }
	return WriteTypes(out, root, Notation{own, withKey})
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
	if _, known := t.types[name]; !known && t.Expands(of) {
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
	members := []interface{}{}
	for i := 0; i < of.NumField(); i++ {
		field := of.Field(i)
		members = append(members, t.Member(field, t.name(field.Type)))
	}
	return members
}

func withKey(field reflect.StructField, typeName string) interface{} {
	tag := strings.Split(jsonTag(field), ",")
	omitempty := strings.Contains(strings.Join(tag[1:], ","), "omitempty")
	return member{field.Name, typeName, tag[0], omitempty, field.Anonymous}
}

// jsonTag gives the few fields of the internal types that have no tag the key
// of the v1 field: their name with a small first letter.
func jsonTag(field reflect.StructField) string {
	tag, tagged := field.Tag.Lookup("json")
	if tagged {
		return tag
	}
	return strings.ToLower(field.Name[:1]) + field.Name[1:]
}
