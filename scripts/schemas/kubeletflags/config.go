package main

import (
	"fmt"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// known are the kinds of types that have JSON of their own, or that modules have which are not read.
var known = map[string]string{
	"Duration": "duration", "TimeOrMetaDuration": "duration", "Time": "time", "Quantity": "quantity",
	"QuantityValue": "quantity", "ResourceList": "map/quantity",
}

// elsewhere are the fields of structs in k8s.io/apimachinery and k8s.io/api, the same in every release.
var elsewhere = map[string]map[string]string{
	"TypeMeta": {"kind": "string", "apiVersion": "string"},
	"Taint":    {"key": "string", "value": "string", "effect": "string", "timeAdded": "time"},
}

// numbers are the kinds of Go's own types; those of numbers are the types themselves.
var numbers = map[string]string{
	"bool": "bool", "string": "string", "int": "int", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
	"uint": "uint", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
	"float32": "float32", "float64": "float64",
}

// configFields returns the fields of a config file by their path, with the kind of each:
// "evictionHard" is a map/string, "registerWithTaints[].key" a string, "port" an int32.
func configFields(sources *packages, importPath string) (map[string]string, error) {
	home, err := sources.load(importPath)
	if err != nil || home == nil {
		return nil, fmt.Errorf("no %s: %w", importPath, err)
	}
	walk := fields{&machine{packages: sources}, map[string]string{}}
	found, ok := home.types["KubeletConfiguration"]
	if !ok {
		return nil, fmt.Errorf("%s has no KubeletConfiguration", importPath)
	}
	return walk.found, walk.members(found.declared.(*ast.StructType), found.file, "")
}

type fields struct {
	*machine
	found map[string]string
}

func (f fields) members(described *ast.StructType, in *file, prefix string) error {
	for _, part := range described.Fields.List {
		name, inline := jsonName(part)
		if inline {
			if err := f.inlined(part.Type, in, prefix); err != nil {
				return err
			}
		} else if name != "-" {
			kind, err := f.kind(part.Type, in, prefix+name)
			if err != nil {
				return fmt.Errorf("%s%s: %w", prefix, name, err)
			}
			f.found[prefix+name] = kind
		}
	}
	return nil
}

// jsonName returns what a field is called, and whether it is an embedded struct without a name.
func jsonName(part *ast.Field) (name string, inline bool) {
	if part.Tag != nil {
		text, _ := strconv.Unquote(part.Tag.Value)
		name, _, _ = strings.Cut(reflect.StructTag(text).Get("json"), ",")
	}
	if name == "" && len(part.Names) > 0 {
		return part.Names[0].Name, false
	}
	return name, name == ""
}

func (f fields) inlined(expr ast.Expr, in *file, prefix string) error {
	for name, kind := range elsewhere[typeName(expr)] {
		f.found[prefix+name] = kind
	}
	if elsewhere[typeName(expr)] != nil {
		return nil
	}
	described, where := f.structOf(f.ofType(expr, in))
	if described == nil {
		return fmt.Errorf("%s is embedded, and not known", typeName(expr))
	}
	return f.members(described, where, prefix)
}

// kind describes a type, and notes the fields of a struct below a path.
func (f fields) kind(expr ast.Expr, in *file, path string) (string, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return f.kind(expr.X, in, path)
	case *ast.ArrayType:
		inner, err := f.kind(expr.Elt, in, path+"[]")
		return "list/" + inner, err
	case *ast.MapType:
		inner, err := f.kind(expr.Value, in, path+"{}")
		return "map/" + inner, err
	case *ast.Ident:
		if kind, ok := numbers[expr.Name]; ok {
			return kind, nil
		}
	}
	return f.ofName(expr, in, path)
}

func (f fields) ofName(expr ast.Expr, in *file, path string) (string, error) {
	name := typeName(expr)
	if selector, ok := expr.(*ast.SelectorExpr); ok && name == "Duration" {
		if module, ok := selector.X.(*ast.Ident); ok && module.Name == "time" {
			return "int64", nil // without the JSON of metav1.Duration
		}
	}
	if kind, ok := known[name]; ok {
		return kind, nil
	}
	if inside, ok := elsewhere[name]; ok {
		for below, kind := range inside {
			f.found[path+"."+below] = kind
		}
		return "object", nil
	}
	of := f.ofType(expr, in)
	if of == nil || of.file == nil {
		return "", fmt.Errorf("a type that is not known: %s", name)
	}
	if of.pkg.methods[of.name]["UnmarshalJSON"] != nil {
		return "", fmt.Errorf("%s has JSON of its own", name)
	}
	if described, ok := of.pkg.types[of.name].declared.(*ast.StructType); ok {
		return "object", f.members(described, of.file, path+".")
	}
	return f.kind(of.pkg.types[of.name].declared, of.file, path)
}
