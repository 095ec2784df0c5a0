package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

const kubernetes = "k8s.io/kubernetes"

// options say which release is read, and where its modules are.
type options struct {
	minor   int
	modules map[string]string
}

func (o *options) addModule(text string) error {
	module, dir, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not module=directory", text)
	}
	o.modules[module] = dir
	return nil
}

// source is one file, with its imports by the names that it gives them.
type source struct {
	file    *ast.File
	imports map[string]string
}

// pkg is one parsed package with its constants, as the expressions that they are set to.
type pkg struct {
	path    string
	files   []source
	consts  map[string]ast.Expr
	imports map[string]bool
}

// packages parses each package once, when it is first needed.
type packages struct {
	from   options
	loaded map[string]*pkg
}

// dir returns where a package is: in its module, or up to 1.14 among the staging
// directories that the module k8s.io/kubernetes then has.
func (p *packages) dir(importPath string) string {
	for module, dir := range p.from.modules {
		if importPath == module || strings.HasPrefix(importPath, module+"/") {
			return filepath.Join(dir, strings.TrimPrefix(importPath, module))
		}
	}
	return filepath.Join(p.from.modules[kubernetes], "staging", "src", importPath)
}

func (p *packages) has(importPath string) bool {
	_, err := os.Stat(p.dir(importPath))
	return err == nil
}

func (p *packages) load(importPath string) (*pkg, error) {
	if known, ok := p.loaded[importPath]; ok {
		return known, nil
	}
	parsed, err := parser.ParseDir(token.NewFileSet(), p.dir(importPath), isNoTest, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", importPath, err)
	}
	found := &pkg{path: importPath, consts: map[string]ast.Expr{}, imports: map[string]bool{}}
	for _, one := range parsed {
		for _, file := range one.Files {
			found.add(file)
		}
	}
	p.loaded[importPath] = found
	return found, nil
}

func isNoTest(info fs.FileInfo) bool {
	return !strings.HasSuffix(info.Name(), "_test.go")
}

func (p *pkg) add(file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		to, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(to)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = to
		p.imports[to] = true
	}
	p.files = append(p.files, source{file, imports})
	for _, decl := range file.Decls {
		if general, ok := decl.(*ast.GenDecl); ok && general.Tok == token.CONST {
			p.addConstants(general)
		}
	}
}

func (p *pkg) addConstants(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		values := spec.(*ast.ValueSpec)
		for i, name := range values.Names {
			if i < len(values.Values) {
				p.consts[name.Name] = values.Values[i]
			}
		}
	}
}
