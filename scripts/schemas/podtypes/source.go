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
	"strconv"
	"strings"
)

// options say where the packages of one release are.
type options struct {
	internal, wire, time string
	modules              map[string]string
}

func (o *options) addModule(text string) error {
	module, dir, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not module=directory", text)
	}
	if o.modules == nil {
		o.modules = map[string]string{}
	}
	o.modules[module] = dir
	return nil
}

// declared is one type with the imports of the file that declares it.
type declared struct {
	spec    ast.Expr
	imports map[string]string
	pkg     *pkg
}

// pkg is one parsed package: the name that reflection prints and its types.
type pkg struct {
	path, name string
	types      map[string]declared
}

// packages parses each package once, when a type first needs it.
type packages struct {
	from   options
	loaded map[string]*pkg
}

func (p *packages) load(importPath string) (*pkg, error) {
	if known, ok := p.loaded[importPath]; ok {
		return known, nil
	}
	dir, err := p.dir(importPath)
	if err != nil {
		return nil, err
	}
	compiled := func(info os.FileInfo) bool { return isCompiled(dir, info.Name()) }
	parsed, err := parser.ParseDir(token.NewFileSet(), dir, compiled, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	result := &pkg{path: importPath, types: map[string]declared{}}
	for name, files := range parsed {
		result.name = name
		for _, file := range files.Files {
			result.add(file)
		}
	}
	p.loaded[importPath] = result
	return result, nil
}

// isCompiled leaves out tests and files of other builds: 1.36 declares FieldsV1
// twice, and kubelets are built without the tag of the second.
func isCompiled(dir, name string) bool {
	matches, err := build.Default.MatchFile(dir, name)
	return err == nil && matches && !strings.HasSuffix(name, "_test.go")
}

func (p *packages) dir(importPath string) (string, error) {
	for module, dir := range p.from.modules {
		if rest, inside := strings.CutPrefix(importPath, module+"/"); inside {
			return filepath.Join(dir, filepath.FromSlash(rest)), nil
		}
	}
	return "", fmt.Errorf("no -dir for %s", importPath)
}

func (p *pkg) add(file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		where, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(where)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = where
	}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if typed, ok := spec.(*ast.TypeSpec); ok {
				p.types[typed.Name.Name] = declared{typed.Type, imports, p}
			}
		}
	}
}
