package main

import (
	"fmt"
	"go/ast"
	"strings"
)

const pflag = "github.com/spf13/pflag"

// invoke computes a call: of a flag set, of one of the few functions that are known here, or
// of a function whose source is read.
func (c *call) invoke(expr *ast.CallExpr, env *scope) (any, error) {
	arguments := make([]any, len(expr.Args))
	for i, argument := range expr.Args {
		value, err := c.eval(argument, env)
		if err != nil {
			return nil, err
		}
		arguments[i] = value
	}
	switch called := expr.Fun.(type) {
	case *ast.ParenExpr: // (*T)(value)
		if made := c.ofType(called.X, env.file); made != nil {
			return made, nil
		}
	case *ast.FuncLit:
		return c.run(called.Body, env.inner())
	case *ast.Ident:
		return c.local(called.Name, arguments, env)
	case *ast.SelectorExpr:
		if name, ok := called.X.(*ast.Ident); ok {
			if path, imported := c.imported(name.Name, env); imported {
				return c.abroad(path, called.Sel.Name, arguments)
			}
		}
		on, err := c.eval(called.X, env)
		if err != nil {
			return nil, err
		}
		return c.on(on, called.Sel.Name, arguments)
	}
	return nil, c.unread("a call", arguments)
}

// unread is an error where flags are given to what has no source here.
func (c *call) unread(what string, arguments []any) error {
	for _, argument := range arguments {
		if isFlags(argument) {
			return fmt.Errorf("%s is given flags, and its source is not read", what)
		}
	}
	return nil
}

func (c *call) local(name string, arguments []any, env *scope) (any, error) {
	if value, ok := env.find(name); ok {
		if called, ok := value.(*closure); ok {
			inner := called.env.inner()
			c.bind(called.params, arguments, inner)
			return c.run(called.body, inner)
		}
		if set, ok := value.(normalizer); ok {
			return set.of(arguments), nil
		}
		return nil, c.unread(name, arguments)
	}
	switch name {
	case "len":
		if text, ok := arguments[0].(string); ok {
			return len(text), nil
		}
		return nil, nil
	case "append":
		made := &list{}
		if before, ok := arguments[0].(*list); ok {
			made.items = append(made.items, before.items...)
		}
		made.items = append(made.items, arguments[1:]...)
		return made, nil
	}
	return c.named(env.file.pkg, name, arguments)
}

// named calls a function of a package, or converts to one of its types.
func (c *call) named(in *pkg, name string, arguments []any) (any, error) {
	if found, ok := in.functions[name]; ok {
		return c.apply(found, nil, arguments)
	}
	if _, ok := in.types[name]; ok {
		return c.machine.named(in, name), nil
	}
	return nil, c.unread(name, arguments)
}

func (c *call) abroad(path, name string, arguments []any) (any, error) {
	switch path {
	case "flag", pflag:
		return c.ofFlags(path, name, arguments)
	case "strings":
		return replaced(name, arguments), nil
	case "fmt":
		if text, ok := arguments[0].(string); ok && name == "Sprintf" {
			return text, nil
		}
		return nil, nil
	}
	read, err := c.packages.load(path)
	if err != nil {
		return nil, err
	}
	if read == nil {
		return &typed{name: strings.TrimPrefix(name, "New"), fields: map[string]any{}}, c.unread(path+"."+name, arguments)
	}
	return c.named(read, name, arguments)
}

func replaced(name string, arguments []any) any {
	var texts []string
	for _, argument := range arguments {
		if text, ok := argument.(string); ok {
			texts = append(texts, text)
		}
	}
	if strings.HasPrefix(name, "Replace") && len(texts) == 3 { // Replace(…, -1)
		return strings.ReplaceAll(texts[0], texts[1], texts[2])
	}
	return nil
}

// ofFlags calls a function of flag or pflag; what is a method too concerns the flags of the program.
func (c *call) ofFlags(path, name string, arguments []any) (any, error) {
	switch name {
	case "NewFlagSet":
		return newSet(""), nil
	case "PFlagFromGoFlag":
		return fromGoFlag(arguments[0].(*Flag)), nil
	}
	return c.on(c.commandLine(path), name, arguments)
}

// on calls a method.
func (c *call) on(receiver any, name string, arguments []any) (any, error) {
	if strings.EqualFold(name, "get") && len(arguments) == 1 && arguments[0] == "json" {
		return c.jsonLogs(), nil
	}
	switch receiver := receiver.(type) {
	case *flagSet:
		return c.onSet(receiver, name, arguments)
	case *typed:
		if found, on := c.methodOf(receiver, name, 0); found != nil {
			return c.apply(found, on, arguments)
		}
	case *Flag, null:
		return nil, nil // such as f.Value.String()
	}
	if logs[name] {
		return nil, nil
	}
	return nil, c.unread(name, arguments)
}

// logs are the methods of loggers that are given flags.
var logs = map[string]bool{"Infof": true, "InfoS": true, "Info": true}

// jsonLogs is what the registry of log formats answers when it is asked for JSON.
func (c *call) jsonLogs() *list {
	if c.imports["k8s.io/component-base/logs/json/register"] != nil {
		return &list{items: []any{nil, null{}}}
	}
	return &list{items: []any{nil, &typed{name: "error"}}}
}

// apply calls a function whose source is read, if it concerns flags or is a single expression.
// Of others only the type of what they return is known.
func (c *call) apply(called *function, receiver *typed, arguments []any) (any, error) {
	if called.Body == nil {
		return nil, c.unread(called.Name.Name, arguments)
	}
	env := &scope{values: map[string]any{}, file: called.file}
	concerns := c.touches(called.Body, called.file, 3)
	for _, argument := range arguments {
		concerns = concerns || isFlags(argument)
	}
	if !concerns && !isExpression(called.Body) {
		return c.returned(called), nil
	}
	if called.Recv != nil && len(called.Recv.List[0].Names) > 0 {
		env.values[called.Recv.List[0].Names[0].Name] = receiver
	}
	c.bind(called.Type.Params, arguments, env)
	value, err := c.run(called.Body, env)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", called.file.pkg.path, called.Name.Name, err)
	}
	if value == nil || isBare(value) {
		return c.returned(called), nil
	}
	return value, nil
}

// isBare returns whether a type is known that flags do not know the kind of.
func isBare(value any) bool {
	of, ok := value.(*typed)
	return ok && custom[of.name] == ""
}

func isExpression(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	_, ok := body.List[0].(*ast.ReturnStmt)
	return ok
}

// returned is a value of the type that a function returns; where that is an interface of
// another module, the function's name is all there is.
func (c *call) returned(of *function) any {
	results := of.Type.Results
	if results == nil || len(results.List) == 0 {
		return nil
	}
	if name := typeName(results.List[0].Type); name == "Value" {
		return &typed{name: of.Name.Name, fields: map[string]any{}}
	}
	if made := c.ofType(results.List[0].Type, of.file); made != nil {
		return made
	}
	return nil
}

// bind gives the parameters of a function their values.
func (c *call) bind(parameters *ast.FieldList, arguments []any, env *scope) {
	at := 0
	for _, part := range parameters.List {
		for _, name := range part.Names {
			if _, variadic := part.Type.(*ast.Ellipsis); variadic {
				env.values[name.Name] = &list{items: arguments[min(at, len(arguments)):]}
				continue
			}
			if at < len(arguments) {
				env.values[name.Name] = arguments[at]
			}
			if made := c.ofType(part.Type, env.file); env.values[name.Name] == nil && made != nil {
				env.values[name.Name] = made
			}
			at++
		}
	}
}
