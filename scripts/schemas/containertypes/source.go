package main

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// source is one parsed file: its package name and the types it declares.
type source struct {
	pkg   string
	types map[string]ast.Expr
}

// load parses one file; API packages declare every type that a pod reaches in their types.go.
func load(file string) (*source, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	result := &source{pkg: parsed.Name.Name, types: map[string]ast.Expr{}}
	for _, decl := range parsed.Decls {
		if general, ok := decl.(*ast.GenDecl); ok {
			result.add(general)
		}
	}
	return result, nil
}

func (s *source) add(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		if typeSpec, ok := spec.(*ast.TypeSpec); ok {
			s.types[typeSpec.Name.Name] = typeSpec.Type
		}
	}
}
