package main

import (
	"go/ast"
)

// ofType returns a value of a type, when nothing else is known of it; nil for types
// without a name, and for those of packages that no module has.
func (m *machine) ofType(expr ast.Expr, in *file) *typed {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return m.ofType(expr.X, in)
	case *ast.Ident:
		return m.named(in.pkg, expr.Name)
	case *ast.SelectorExpr:
		name, ok := expr.X.(*ast.Ident)
		if !ok {
			return nil
		}
		read, err := m.packages.load(in.imports[name.Name])
		if err != nil || read == nil {
			return &typed{name: expr.Sel.Name, fields: map[string]any{}}
		}
		return m.named(read, expr.Sel.Name)
	}
	return nil
}

func (m *machine) named(in *pkg, name string) *typed {
	made := &typed{pkg: in, name: name, fields: map[string]any{}}
	if found, ok := in.types[name]; ok {
		made.file = found.file
		if alias := typeName(found.declared); alias != "" && len(in.methods[name]) == 0 && custom[name] == "" {
			if of := m.ofType(found.declared, found.file); of != nil && of.file != nil {
				return of
			}
		}
	}
	return made
}

// field returns what a field holds, by its declared type; also one of an embedded struct.
func (m *machine) field(of *typed, name string) (any, error) {
	found := m.lookUp(of, name, 0)
	if found == nil {
		return nil, nil
	}
	return found, nil
}

func (m *machine) lookUp(of *typed, name string, depth int) *typed {
	described, in := m.structOf(of)
	if described == nil || depth > 5 {
		return nil
	}
	var embedded []*typed
	for _, part := range described.Fields.List {
		if len(part.Names) == 0 {
			inner := m.ofType(part.Type, in)
			if typeName(part.Type) == name {
				return inner
			}
			embedded = append(embedded, inner)
		}
		for _, declared := range part.Names {
			if declared.Name == name {
				return m.ofType(part.Type, in)
			}
		}
	}
	for _, inner := range embedded {
		if found := m.lookUp(inner, name, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// structOf returns the struct that a type is, and the file that describes it.
func (m *machine) structOf(of *typed) (*ast.StructType, *file) {
	if of == nil || of.file == nil {
		return nil, nil
	}
	declared := of.pkg.types[of.name].declared
	if described, ok := declared.(*ast.StructType); ok {
		return described, of.file
	}
	return m.structOf(m.ofType(declared, of.file))
}

// methodOf finds a method of a type or of a struct that it embeds, and what it is called on.
func (m *machine) methodOf(of *typed, name string, depth int) (*function, *typed) {
	if of == nil || of.pkg == nil || depth > 5 {
		return nil, nil
	}
	if found, ok := of.pkg.methods[of.name][name]; ok {
		return found, of
	}
	described, in := m.structOf(of)
	if described == nil {
		return nil, nil
	}
	for _, part := range described.Fields.List {
		if len(part.Names) == 0 {
			inner := m.ofType(part.Type, in)
			if found, on := m.methodOf(inner, name, depth+1); found != nil {
				return found, on
			}
		}
	}
	return nil, nil
}
