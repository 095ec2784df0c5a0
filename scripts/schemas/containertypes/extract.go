package main

import (
	"fmt"
	"go/ast"
	"go/types"
)

// extract walks from the root through every type of the same package; types of other packages stay names.
func extract(s *source, root string) (*Tree, error) {
	walk := &walker{source: s, found: map[string]any{}}
	if err := walk.visit(root); err != nil {
		return nil, err
	}
	return &Tree{Package: s.pkg, Root: root, Types: walk.found}, nil
}

type walker struct {
	source *source
	found  map[string]any
}

// visit describes one named type once: the fields of a struct, or else the text of its underlying type.
func (w *walker) visit(name string) error {
	if _, done := w.found[name]; done {
		return nil
	}
	expr, declared := w.source.types[name]
	if !declared {
		return fmt.Errorf("type %s is not declared in this file", name)
	}
	w.found[name] = nil // Go types may be recursive
	described, err := w.describe(expr)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.found[name] = described
	return nil
}

func (w *walker) describe(expr ast.Expr) (any, error) {
	if structure, ok := expr.(*ast.StructType); ok {
		return w.fields(structure)
	}
	// type A B, with B a type of this package, has B's underlying type.
	if name, ok := expr.(*ast.Ident); ok && w.source.types[name.Name] != nil {
		return w.describe(w.source.types[name.Name])
	}
	return w.text(expr)
}

// text prints a type expression and visits the types of this package that it names.
func (w *walker) text(expr ast.Expr) (string, error) {
	switch e := expr.(type) {
	case *ast.Ident:
		if types.Universe.Lookup(e.Name) != nil {
			return e.Name, nil
		}
		return e.Name, w.visit(e.Name)
	case *ast.StarExpr:
		return w.wrap("*", e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return w.wrap("[]", e.Elt)
		}
	case *ast.MapType:
		key, err := w.text(e.Key)
		if err != nil {
			return "", err
		}
		return w.wrap("map["+key+"]", e.Value)
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			return pkg.Name + "." + e.Sel.Name, nil
		}
	}
	return "", fmt.Errorf("a %T is a kind of type that no container has had so far", expr)
}

func (w *walker) wrap(prefix string, expr ast.Expr) (string, error) {
	text, err := w.text(expr)
	return prefix + text, err
}
