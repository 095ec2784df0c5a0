package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// eval computes an expression; nil is a value that is not known.
func (c *call) eval(expr ast.Expr, env *scope) (any, error) {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		if expr.Kind == token.STRING {
			return strconv.Unquote(expr.Value)
		}
	case *ast.ParenExpr:
		return c.eval(expr.X, env)
	case *ast.StarExpr:
		value, err := c.eval(expr.X, env)
		if of, ok := value.(*Flag); ok { // a copy, as clone := *flag makes
			made := *of
			return &made, err
		}
		return value, err
	case *ast.UnaryExpr:
		return c.unary(expr, env)
	case *ast.BinaryExpr:
		return c.binary(expr, env)
	case *ast.Ident:
		return c.ident(expr.Name, env)
	case *ast.SelectorExpr:
		return c.selector(expr, env)
	case *ast.FuncLit:
		return &closure{expr.Type.Params, expr.Body, env}, nil
	case *ast.CompositeLit:
		return c.composite(expr, env)
	case *ast.IndexExpr:
		return c.index(expr, env)
	case *ast.CallExpr:
		return c.invoke(expr, env)
	}
	return nil, nil
}

func (c *call) unary(expr *ast.UnaryExpr, env *scope) (any, error) {
	value, err := c.eval(expr.X, env)
	if truth, ok := value.(bool); ok && expr.Op == token.NOT {
		return !truth, err
	}
	if expr.Op != token.AND {
		return nil, err
	}
	return value, err
}

func (c *call) binary(expr *ast.BinaryExpr, env *scope) (any, error) {
	left, err := c.eval(expr.X, env)
	if err != nil {
		return nil, err
	}
	right, err := c.eval(expr.Y, env)
	if err != nil {
		return nil, err
	}
	switch expr.Op {
	case token.ADD:
		return sum(left, right), nil
	case token.EQL:
		return same(left, right), nil
	case token.NEQ:
		if equal, ok := same(left, right).(bool); ok {
			return !equal, nil
		}
	case token.GTR: // len(text) > 0
		if length, ok := left.(int); ok {
			return length > 0, nil
		}
	}
	return nil, nil
}

func sum(left, right any) any {
	one, ok := left.(string)
	other, also := right.(string)
	if ok && also {
		return one + other
	}
	if ok || also { // part of a text is not known, but it is one
		return one + other + "…"
	}
	return nil
}

func same(left, right any) any {
	if left == nil || right == nil {
		return nil
	}
	_, one := left.(null)
	_, other := right.(null)
	if one || other {
		return one && other
	}
	switch left.(type) {
	case string, bool:
		return left == right
	}
	return nil
}

func (c *call) ident(name string, env *scope) (any, error) {
	switch name {
	case "true", "false":
		return name == "true", nil
	case "nil":
		return null{}, nil
	}
	if value, ok := env.find(name); ok {
		return value, nil
	}
	if found, ok := env.file.pkg.variables[name]; ok {
		return c.variable(found)
	}
	return nil, nil
}

func (c *call) selector(expr *ast.SelectorExpr, env *scope) (any, error) {
	if name, ok := expr.X.(*ast.Ident); ok {
		if path, imported := c.imported(name.Name, env); imported {
			return c.foreign(path, expr.Sel.Name)
		}
	}
	of, err := c.eval(expr.X, env)
	if err != nil {
		return nil, err
	}
	switch of := of.(type) {
	case *typed:
		if set, ok := of.fields[expr.Sel.Name]; ok {
			return set, nil
		}
		return c.field(of, expr.Sel.Name)
	case *Flag:
		switch expr.Sel.Name {
		case "Name":
			return of.name, nil
		case "Deprecated":
			return of.notice, nil
		case "Value":
			return of, nil
		case "Usage":
			return "", nil
		}
		return nil, fmt.Errorf("--%s: %s is read", of.name, expr.Sel.Name)
	}
	return nil, nil
}

// imported returns the path of the package that a name means here.
func (c *call) imported(name string, env *scope) (string, bool) {
	if _, local := env.find(name); local {
		return "", false
	}
	path, ok := env.file.imports[name]
	return path, ok
}

// foreign computes a constant or variable of another package.
func (c *call) foreign(path, name string) (any, error) {
	if (path == "flag" || path == pflag) && name == "CommandLine" {
		return c.commandLine(path), nil
	}
	read, err := c.packages.load(path)
	if err != nil || read == nil {
		return nil, err
	}
	if found, ok := read.variables[name]; ok {
		return c.variable(found)
	}
	return nil, nil
}

// variable computes a variable of a package once.
func (m *machine) variable(of *variable) (any, error) {
	if known, ok := m.globals[of]; ok {
		return known, nil
	}
	m.globals[of] = nil // one that needs itself is not known
	env := &scope{values: map[string]any{}, file: of.file}
	var value any
	var err error
	if of.value != nil {
		value, err = (&call{machine: m, env: env}).eval(of.value, env)
	}
	if value == nil && of.declared != nil {
		value = m.zero(of.declared, of.file)
	}
	m.globals[of] = value
	return value, err
}

// zero returns the zero value of a type, as far as flags are concerned.
func (m *machine) zero(expr ast.Expr, in *file) any {
	if selected, ok := expr.(*ast.SelectorExpr); ok && selected.Sel.Name == "FlagSet" {
		return newSet("")
	}
	if made := m.ofType(expr, in); made != nil {
		return made
	}
	return nil
}

func (c *call) composite(expr *ast.CompositeLit, env *scope) (any, error) {
	switch kind := expr.Type.(type) {
	case *ast.MapType:
		return c.mapping(expr, env)
	case *ast.ArrayType:
		made := &list{}
		for _, element := range expr.Elts {
			value, err := c.eval(element, env)
			if err != nil {
				return nil, err
			}
			made.items = append(made.items, value)
		}
		return made, nil
	case nil:
		return nil, nil
	default:
		return c.zero(kind, env.file), nil
	}
}

func (c *call) mapping(expr *ast.CompositeLit, env *scope) (any, error) {
	made := &list{entries: map[string]any{}}
	for _, element := range expr.Elts {
		pair := element.(*ast.KeyValueExpr)
		key, err := c.eval(pair.Key, env)
		if err != nil {
			return nil, err
		}
		text, ok := key.(string)
		if !ok {
			return nil, nil
		}
		if made.entries[text], err = c.eval(pair.Value, env); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// index looks up a map of flags' names; what it lacks is false, for such maps hold bools.
func (c *call) index(expr *ast.IndexExpr, env *scope) (any, error) {
	value, found, err := c.entry(expr, env)
	if value == nil && found == false {
		return false, err
	}
	return value, err
}

// entry looks up a map, and says whether it has the key where that is known.
func (c *call) entry(expr *ast.IndexExpr, env *scope) (value, found any, err error) {
	of, err := c.eval(expr.X, env)
	if err != nil {
		return nil, nil, err
	}
	key, err := c.eval(expr.Index, env)
	text, ok := key.(string)
	table, isTable := of.(*list)
	if !ok || !isTable || table.entries == nil {
		return nil, nil, err
	}
	value, ok = table.entries[text]
	return value, ok, err
}
