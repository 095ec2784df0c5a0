package main

import (
	"fmt"
	"go/ast"
)

const (
	mainPackage = kubernetes + "/cmd/kubelet"
	appPackage  = mainPackage + "/app"
)

// machine is the program that is run: its packages, their variables and its own flags.
type machine struct {
	packages *packages
	imports  map[string]map[string]bool
	globals  map[*variable]any
	lines    map[string]*flagSet
	depth    int
}

// commandLine returns the flags of the program in the package flag, or in pflag.
func (m *machine) commandLine(path string) *flagSet {
	if m.lines[path] == nil {
		m.lines[path] = newSet(path)
	}
	return m.lines[path]
}

// kubeletFlags initializes the packages of a kubelet and runs what its main function does
// until the command line is parsed.
func kubeletFlags(sources *packages) (map[string]*Flag, error) {
	m := &machine{packages: sources, imports: map[string]map[string]bool{}, globals: map[*variable]any{}, lines: map[string]*flagSet{}}
	order, err := sources.closure(mainPackage, m.imports)
	if err != nil {
		return nil, err
	}
	for _, path := range order {
		if m.imports[path]["flag"] || m.imports[path][pflag] {
			if err := m.initialize(path); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	set, err := m.registered()
	if err != nil {
		return nil, err
	}
	if len(set.flags) < 50 {
		return nil, fmt.Errorf("only %d flags", len(set.flags))
	}
	return set.flags, nil
}

// initialize computes the variables of a package that concern flags, and runs such init functions.
func (m *machine) initialize(path string) error {
	one, err := m.packages.load(path)
	if err != nil {
		return err
	}
	for _, name := range one.order {
		of := one.variables[name]
		if _, ok := of.value.(*ast.CallExpr); ok && m.touchesVariable(of) {
			if _, err := m.variable(of); err != nil {
				return err
			}
		}
	}
	for _, function := range one.inits {
		if m.touches(function.Body, function.file, 3) {
			if _, err := m.run(function.Body, &scope{values: map[string]any{}, file: function.file}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *machine) touchesVariable(of *variable) bool {
	return of.value != nil && m.touches(of.value, of.file, 3) || of.declared != nil && m.touches(of.declared, of.file, 0)
}

// touches returns whether code names flag or pflag, or a function or variable of its package that does.
func (m *machine) touches(node ast.Node, in *file, depth int) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		if found || !ok {
			return !found
		}
		if path := in.imports[name.Name]; path == "flag" || path == pflag {
			found = true
		} else if depth > 0 {
			found = m.touchesNamed(name.Name, in.pkg, depth-1)
		}
		return !found
	})
	return found
}

func (m *machine) touchesNamed(name string, in *pkg, depth int) bool {
	if called, ok := in.functions[name]; ok && called.Body != nil {
		return m.touches(called.Body, called.file, depth)
	}
	if used, ok := in.variables[name]; ok {
		return used.value != nil && m.touches(used.value, used.file, depth) ||
			used.declared != nil && m.touches(used.declared, used.file, 0)
	}
	return false
}

// registered runs what registers the flags. Since 1.10 NewKubeletCommand does, in a set of its
// own; before, main does, among the flags of the program.
func (m *machine) registered() (*flagSet, error) {
	app, err := m.packages.load(appPackage)
	if err != nil || app == nil {
		return nil, fmt.Errorf("no %s: %w", appPackage, err)
	}
	if command, ok := app.functions["NewKubeletCommand"]; ok && names(command.Body, "cleanFlagSet") {
		return m.inCommand(command)
	}
	start, err := m.packages.load(mainPackage)
	if err != nil {
		return nil, err
	}
	return m.inMain(start.functions["main"])
}

// inCommand runs the statements that concern the set, but the functions that read it later.
func (m *machine) inCommand(command *function) (*flagSet, error) {
	running := &call{machine: m, env: &scope{values: map[string]any{}, file: command.file}}
	for _, statement := range command.Body.List {
		assigned, isAssign := statement.(*ast.AssignStmt)
		_, isCall := statement.(*ast.ExprStmt)
		concerns := isCall && names(statement, "cleanFlagSet") || isAssign && makesOptions(assigned)
		if !concerns || hasFunction(statement) {
			continue
		}
		if _, err := running.statement(statement, running.env); err != nil {
			return nil, err
		}
	}
	set, _ := running.env.find("cleanFlagSet")
	made, ok := set.(*flagSet)
	if !ok {
		return nil, fmt.Errorf("NewKubeletCommand makes no set of flags")
	}
	return made, nil
}

// inMain runs main up to its call of InitFlags, which parses the command line.
func (m *machine) inMain(start *function) (*flagSet, error) {
	running := &call{machine: m, env: &scope{values: map[string]any{}, file: start.file}}
	for _, statement := range start.Body.List {
		if _, err := running.statement(statement, running.env); err != nil {
			return nil, err
		}
		if names(statement, "InitFlags") {
			return m.commandLine(pflag), nil
		}
	}
	return nil, fmt.Errorf("main does not call InitFlags")
}

// makesOptions returns whether the set, or what registers its flags in it, is made.
func makesOptions(assigned *ast.AssignStmt) bool {
	return names(assigned, "NewFlagSet") || names(assigned, "NewKubeletFlags") || names(assigned, "NewKubeletConfiguration")
}

func names(node ast.Node, wanted string) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok && name.Name == wanted {
			found = true
		}
		return !found
	})
	return found
}

func hasFunction(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		if _, ok := node.(*ast.FuncLit); ok {
			found = true
		}
		return !found
	})
	return found
}
