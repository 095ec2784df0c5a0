package main

import (
	"fmt"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// kind tells apart what a type is made of.
type kind int

const (
	basic kind = iota
	pointer
	list
	mapping
	structure
	named
)

// shape is a type as reflection sees it: what it is made of and, for a named
// type, its package and name.
type shape struct {
	kind      kind
	text      string // a basic type's name
	key, elem *shape
	fields    []field
	pkg       *pkg
	name      string
}

// field is one struct field with its type still unresolved below names.
type field struct {
	name     string
	shape    *shape
	json     string
	embedded bool
}

// find looks a struct's field up.
func (s *shape) find(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// shapeOf resolves an expression in the file that holds it.
func (p *packages) shapeOf(expr ast.Expr, in declared) (*shape, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return p.wrap(pointer, expr.X, in)
	case *ast.ArrayType:
		return p.wrap(list, expr.Elt, in)
	case *ast.MapType:
		result, err := p.wrap(mapping, expr.Value, in)
		if err == nil {
			result.key, err = p.shapeOf(expr.Key, in)
		}
		return result, err
	case *ast.StructType:
		return p.structOf(expr, in)
	case *ast.SelectorExpr:
		return p.foreign(expr, in)
	case *ast.Ident:
		return p.ident(expr.Name, in), nil
	}
	return nil, fmt.Errorf("%s: a type that is not understood: %T", in.pkg.path, expr)
}

func (p *packages) wrap(kind kind, expr ast.Expr, in declared) (*shape, error) {
	elem, err := p.shapeOf(expr, in)
	return &shape{kind: kind, elem: elem}, err
}

// foreign finds a type of another package; time has no module and is known.
func (p *packages) foreign(expr *ast.SelectorExpr, in declared) (*shape, error) {
	where := in.imports[expr.X.(*ast.Ident).Name]
	if where == "time" {
		return &shape{kind: named, pkg: &pkg{path: "time", name: "time"}, name: expr.Sel.Name}, nil
	}
	other, err := p.load(where)
	return &shape{kind: named, pkg: other, name: expr.Sel.Name}, err
}

func (p *packages) ident(name string, in declared) *shape {
	if _, ok := in.pkg.types[name]; ok {
		return &shape{kind: named, pkg: in.pkg, name: name}
	}
	if name == "byte" { // reflection knows no aliases
		name = "uint8"
	}
	return &shape{kind: basic, text: name}
}

func (p *packages) structOf(expr *ast.StructType, in declared) (*shape, error) {
	result := &shape{kind: structure}
	for _, part := range expr.Fields.List {
		inner, err := p.shapeOf(part.Type, in)
		if err != nil {
			return nil, err
		}
		base := field{shape: inner}
		base.tag(part.Tag)
		if len(part.Names) == 0 {
			base.name, base.embedded = inner.name, true
			result.fields = append(result.fields, base)
		}
		for _, name := range part.Names {
			one := base
			one.name = name.Name
			result.fields = append(result.fields, one)
		}
	}
	return result, nil
}

func (f *field) tag(literal *ast.BasicLit) {
	if literal == nil {
		return
	}
	text, _ := strconv.Unquote(literal.Value)
	f.json, _, _ = strings.Cut(reflect.StructTag(text).Get("json"), ",")
}

// resolve gives what a named type is declared as.
func (p *packages) resolve(of *shape) (*shape, error) {
	found, ok := of.pkg.types[of.name]
	if !ok {
		return nil, fmt.Errorf("%s declares no %s", of.pkg.path, of.name)
	}
	return p.shapeOf(found.spec, found)
}

// bare writes a type without packages, to compare a v1 field with its internal one.
func (s *shape) bare() string {
	switch s.kind {
	case pointer:
		return "*" + s.elem.bare()
	case list:
		return "[]" + s.elem.bare()
	case mapping:
		return fmt.Sprintf("map[%s]%s", s.key.bare(), s.elem.bare())
	}
	return s.text + s.name
}
