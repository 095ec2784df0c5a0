package common

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"
)

// member is one field of a struct, in the notation of schemas/types.
type member struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	JSON      string `json:"json"`
	Omitempty bool   `json:"omitempty,omitempty"`
	Embedded  bool   `json:"embedded,omitempty"`
}

// tree collects the types below one root that are of the root's own package.
type tree struct {
	home  string
	types map[string]interface{}
}

// writeTypes prints the compiled Container as schemas/types has it, so that
// the trees can be held against real Go and not only against Go source.
func writeTypes(out io.Writer, container Object) error {
	prepare := byValue
	if _, internal := container.(Converter); internal {
		prepare = converted
	}
	hashed, err := prepare(container)
	if err != nil {
		return err
	}
	root := reflect.TypeOf(hashed)
	all := tree{root.PkgPath(), map[string]interface{}{}}
	all.name(root)
	return json.NewEncoder(out).Encode(map[string]interface{}{
		"package": path.Base(root.PkgPath()), "root": root.Name(), "types": all.types,
	})
}

func (t tree) name(of reflect.Type) string {
	if of.PkgPath() != "" && of.PkgPath() != t.home {
		return of.String()
	}
	if of.PkgPath() == "" {
		return t.underlying(of)
	}
	if _, known := t.types[of.Name()]; !known {
		t.types[of.Name()] = "" // a type may contain itself
		t.types[of.Name()] = t.definition(of)
	}
	return of.Name()
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
		tag := strings.Split(jsonTag(field), ",")
		omitempty := strings.Contains(strings.Join(tag[1:], ","), "omitempty")
		members = append(members, member{field.Name, t.name(field.Type), tag[0], omitempty, field.Anonymous})
	}
	return members
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
