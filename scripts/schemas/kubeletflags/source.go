package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

const kubernetes = "k8s.io/kubernetes"

// file is one parsed file, with its imports by the names that it gives them.
type file struct {
	*ast.File
	pkg     *pkg
	imports map[string]string
}

// function is a declared function or method, with the file that holds it.
type function struct {
	*ast.FuncDecl
	file *file
}

// variable is a constant or a variable of a package, and what it is set to.
type variable struct {
	value    ast.Expr
	declared ast.Expr
	file     *file
}

// pkg is one parsed package.
type pkg struct {
	path      string
	files     []*file
	functions map[string]*function
	methods   map[string]map[string]*function
	variables map[string]*variable
	order     []string
	inits     []*function
	types     map[string]*variable
}

// packages parses each package once, when it is first needed.
type packages struct {
	modules map[string]string
	loaded  map[string]*pkg
}

func addModule(modules map[string]string, text string) error {
	module, dir, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not module=directory", text)
	}
	modules[module] = dir
	return nil
}

// dir returns where a package is: in the longest module that its path begins with, or up
// to 1.14 among the staging directories that k8s.io/kubernetes then has; "" if nowhere.
func (p *packages) dir(importPath string) string {
	for module := importPath; module != "."; module = path.Dir(module) {
		if dir, ok := p.modules[module]; ok {
			return existing(filepath.Join(dir, strings.TrimPrefix(importPath, module)))
		}
	}
	return existing(filepath.Join(p.modules[kubernetes], "staging", "src", importPath))
}

func existing(dir string) string {
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// load parses a package; nil where no module has it.
func (p *packages) load(importPath string) (*pkg, error) {
	if known, ok := p.loaded[importPath]; ok {
		return known, nil
	}
	dir := p.dir(importPath)
	if dir == "" {
		return nil, nil
	}
	found := &pkg{
		path: importPath, functions: map[string]*function{}, methods: map[string]map[string]*function{},
		variables: map[string]*variable{}, types: map[string]*variable{},
	}
	p.loaded[importPath] = found
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !isCompiled(dir, entry.Name()) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", importPath, err)
		}
		found.add(parsed)
	}
	return found, nil
}

// linux is how upstream builds kubelets: for Linux, with cgo.
var linux = func() build.Context {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", true
	return context
}()

// isCompiled leaves out tests and the files of other systems.
func isCompiled(dir, name string) bool {
	if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
		return false
	}
	matches, err := linux.MatchFile(dir, name)
	return err == nil && matches
}

func (p *pkg) add(parsed *ast.File) {
	one := &file{parsed, p, map[string]string{}}
	for _, spec := range parsed.Imports {
		to, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(to)
		if strings.HasPrefix(name, "v") && isNumber(name[1:]) { // k8s.io/klog/v2 is package klog
			name = path.Base(path.Dir(to))
			one.imports[path.Base(to)] = to // and k8s.io/api/core/v1 is package v1
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		one.imports[name] = to
	}
	p.files = append(p.files, one)
	for _, decl := range parsed.Decls {
		p.declare(decl, one)
	}
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

func (p *pkg) declare(decl ast.Decl, one *file) {
	switch decl := decl.(type) {
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			p.specify(spec, one)
		}
	case *ast.FuncDecl:
		made := &function{decl, one}
		switch {
		case decl.Recv != nil:
			receiver := typeName(decl.Recv.List[0].Type)
			if p.methods[receiver] == nil {
				p.methods[receiver] = map[string]*function{}
			}
			p.methods[receiver][decl.Name.Name] = made
		case decl.Name.Name == "init":
			p.inits = append(p.inits, made)
		default:
			p.functions[decl.Name.Name] = made
		}
	}
}

func (p *pkg) specify(spec ast.Spec, one *file) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		p.types[spec.Name.Name] = &variable{declared: spec.Type, file: one}
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			made := &variable{declared: spec.Type, file: one}
			if i < len(spec.Values) {
				made.value = spec.Values[i]
			}
			p.variables[name.Name] = made
			p.order = append(p.order, name.Name)
		}
	}
}

// imports returns what a package imports, which is read faster than the whole package.
func (p *packages) imports(importPath string) (map[string]bool, error) {
	dir := p.dir(importPath)
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, entry := range entries {
		if !isCompiled(dir, entry.Name()) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", importPath, err)
		}
		for _, spec := range parsed.Imports {
			to, _ := strconv.Unquote(spec.Path.Value)
			found[to] = true
		}
	}
	return found, nil
}

// closure returns the packages that a package imports, as far as the modules have them, and
// itself: each after those that it imports, as Go initializes them. All are in seen after.
func (p *packages) closure(root string, seen map[string]map[string]bool) ([]string, error) {
	if _, ok := seen[root]; ok {
		return nil, nil
	}
	imports, err := p.imports(root)
	seen[root] = imports
	if err != nil || imports == nil {
		return nil, err
	}
	var found []string
	for _, to := range sorted(imports) {
		below, err := p.closure(to, seen)
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return append(found, root), nil
}

func sorted(names map[string]bool) []string {
	found := make([]string, 0, len(names))
	for name := range names {
		found = append(found, name)
	}
	sort.Strings(found)
	return found
}

// typeName returns the name of a type, without its package and pointers.
func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return typeName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.Ident:
		return expr.Name
	}
	return ""
}
