package main

import (
	"fmt"
	"go/ast"
	"go/token"
)

// outcome is how a statement ends: it goes on, or it ends the function or the turn of a loop.
type outcome int

const (
	next outcome = iota
	ended
	broken
	continued
)

// call is one running function.
type call struct {
	*machine
	env      *scope
	deferred []func() error
	result   any
}

func (m *machine) run(body *ast.BlockStmt, env *scope) (any, error) {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > 40 {
		return nil, fmt.Errorf("functions call each other without an end")
	}
	running := &call{machine: m, env: env}
	if _, err := running.block(body.List, env); err != nil {
		return nil, err
	}
	for i := len(running.deferred) - 1; i >= 0; i-- {
		if err := running.deferred[i](); err != nil {
			return nil, err
		}
	}
	return running.result, nil
}

func (c *call) block(statements []ast.Stmt, env *scope) (outcome, error) {
	for _, statement := range statements {
		if how, err := c.statement(statement, env); how != next || err != nil {
			return how, err
		}
	}
	return next, nil
}

func (c *call) statement(statement ast.Stmt, env *scope) (outcome, error) {
	switch statement := statement.(type) {
	case *ast.ExprStmt:
		_, err := c.eval(statement.X, env)
		return next, err
	case *ast.AssignStmt:
		return next, c.assign(statement, env)
	case *ast.DeclStmt:
		return next, c.declare(statement.Decl.(*ast.GenDecl), env)
	case *ast.BlockStmt:
		return c.block(statement.List, env.inner())
	case *ast.DeferStmt:
		c.deferred = append(c.deferred, func() error {
			_, err := c.eval(statement.Call, env)
			return err
		})
		return next, nil
	case *ast.ReturnStmt:
		return c.returns(statement, env)
	case *ast.IfStmt:
		return c.branch(statement, env.inner())
	case *ast.SwitchStmt:
		return c.choose(statement, env.inner())
	case *ast.RangeStmt:
		return c.loop(statement, env)
	case *ast.BranchStmt:
		return map[token.Token]outcome{token.BREAK: broken, token.CONTINUE: continued}[statement.Tok], nil
	case *ast.EmptyStmt, *ast.GoStmt, *ast.IncDecStmt:
		return next, nil
	}
	return next, c.skip(statement, env)
}

// skip passes over what is not understood, unless it could concern flags.
func (c *call) skip(node ast.Node, env *scope) error {
	var found error
	ast.Inspect(node, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok {
			if value, _ := env.find(name.Name); isFlags(value) {
				found = fmt.Errorf("%s: a statement with %s that is not understood: %T", env.file.pkg.path, name.Name, node)
			}
		}
		return found == nil
	})
	return found
}

func (c *call) returns(statement *ast.ReturnStmt, env *scope) (outcome, error) {
	for i, value := range statement.Results {
		found, err := c.eval(value, env)
		if err != nil {
			return ended, err
		}
		if i == 0 {
			c.result = found
		}
	}
	return ended, nil
}

func (c *call) assign(statement *ast.AssignStmt, env *scope) error {
	values := make([]any, len(statement.Lhs))
	for i, right := range statement.Rhs {
		if index, ok := right.(*ast.IndexExpr); ok && len(statement.Lhs) == 2 && len(statement.Rhs) == 1 {
			value, found, err := c.entry(index, env)
			if err != nil {
				return err
			}
			values[0], values[1] = value, found
			break
		}
		value, err := c.eval(right, env)
		if err != nil {
			return err
		}
		values[i] = value
	}
	if pair, ok := values[0].(*list); ok && len(statement.Rhs) == 1 && len(statement.Lhs) > 1 {
		copy(values, pair.items)
	}
	for i, left := range statement.Lhs {
		if err := c.set(left, values[i], statement.Tok, env); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) set(left ast.Expr, value any, how token.Token, env *scope) error {
	switch left := left.(type) {
	case *ast.Ident:
		switch how {
		case token.DEFINE:
			env.values[left.Name] = value
		case token.ASSIGN:
			env.assign(left.Name, value)
		}
	case *ast.SelectorExpr:
		of, err := c.eval(left.X, env)
		if err != nil {
			return err
		}
		return setField(of, left.Sel.Name, value, how)
	}
	return nil
}

func setField(of any, name string, value any, how token.Token) error {
	switch of := of.(type) {
	case *typed:
		of.fields[name] = value
	case *Flag:
		return setFlag(of, name, value, how)
	}
	return nil
}

func setFlag(of *Flag, name string, value any, how token.Token) error {
	switch name {
	case "Deprecated":
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("--%s is deprecated with a text that is not understood", of.name)
		}
		of.notice, of.Deprecated = text, text != ""
	case "Hidden":
		hidden, ok := value.(bool)
		if !ok {
			return fmt.Errorf("--%s is hidden by a value that is not understood", of.name)
		}
		of.Hidden = hidden
	case "Name":
		of.name = value.(string)
	case "Usage", "DefValue", "NoOptDefVal":
	default:
		return fmt.Errorf("--%s: %s is set", of.name, name)
	}
	return nil
}

func (c *call) declare(decl *ast.GenDecl, env *scope) error {
	for _, spec := range decl.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range values.Names {
			var value any
			if i < len(values.Values) {
				found, err := c.eval(values.Values[i], env)
				if err != nil {
					return err
				}
				value = found
			} else if values.Type != nil {
				value = c.zero(values.Type, env.file)
			}
			env.values[name.Name] = value
		}
	}
	return nil
}

func (c *call) branch(statement *ast.IfStmt, env *scope) (outcome, error) {
	if statement.Init != nil {
		if _, err := c.statement(statement.Init, env); err != nil {
			return next, err
		}
	}
	condition, err := c.eval(statement.Cond, env)
	if err != nil {
		return next, err
	}
	switch condition {
	case true:
		return c.block(statement.Body.List, env.inner())
	case false:
		if statement.Else == nil {
			return next, nil
		}
		return c.statement(statement.Else, env)
	}
	return next, c.skip(statement, env)
}

func (c *call) choose(statement *ast.SwitchStmt, env *scope) (outcome, error) {
	subject, err := c.eval(statement.Tag, env)
	if err != nil {
		return next, err
	}
	wanted, ok := subject.(string)
	if !ok {
		return next, c.skip(statement, env)
	}
	var chosen *ast.CaseClause
	for _, clause := range statement.Body.List {
		clause := clause.(*ast.CaseClause)
		if clause.List == nil && chosen == nil {
			chosen = clause
		}
		for _, value := range clause.List {
			if found, err := c.eval(value, env); err != nil {
				return next, err
			} else if found == wanted {
				chosen = clause
			}
		}
	}
	if chosen == nil {
		return next, nil
	}
	how, err := c.block(chosen.Body, env.inner())
	if how == broken {
		how = next
	}
	return how, err
}

func (c *call) loop(statement *ast.RangeStmt, env *scope) (outcome, error) {
	over, err := c.eval(statement.X, env)
	if err != nil {
		return next, err
	}
	items, ok := over.(*list)
	if !ok {
		return next, c.skip(statement, env)
	}
	for _, item := range items.items {
		turn := env.inner()
		if name, ok := statement.Value.(*ast.Ident); ok {
			turn.values[name.Name] = item
		}
		if how, err := c.block(statement.Body.List, turn); err != nil || how == ended {
			return how, err
		} else if how == broken {
			break
		}
	}
	return next, nil
}
