package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"sort"
	"strconv"
	"strings"
)

// spec is what a gate is in the release: its stage, default, and whether it is locked to that.
type spec struct {
	On     bool   `json:"on"`
	Stage  string `json:"stage"`
	Locked bool   `json:"locked"`
}

// declared is what one package declares, and what it imports.
type declared struct {
	Gates   map[string]spec     `json:"gates"`
	Needs   map[string][]string `json:"needs"`
	Imports []string            `json:"imports"`
}

// reader reads the composite literals of one file.
type reader struct {
	packages *packages
	pkg      *pkg
	imports  map[string]string
	found    *declared
}

func declaredIn(sources *packages, path string) (*declared, error) {
	read, err := sources.load(path)
	if err != nil {
		return nil, err
	}
	found := &declared{Gates: map[string]spec{}, Needs: map[string][]string{}, Imports: []string{}}
	for name := range read.imports {
		found.Imports = append(found.Imports, name)
	}
	sort.Strings(found.Imports)
	for _, one := range read.files {
		reading := &reader{sources, read, one.imports, found}
		var failed error
		ast.Inspect(one.file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.CompositeLit); ok && failed == nil {
				failed = reading.literal(literal)
			}
			return failed == nil
		})
		if failed != nil {
			return nil, fmt.Errorf("%s: %w", path, failed)
		}
	}
	return found, nil
}

// literal reads a map from gates to what they are, or to the gates that they need; others are passed over.
func (r *reader) literal(literal *ast.CompositeLit) error {
	mapped, ok := literal.Type.(*ast.MapType)
	if !ok {
		return nil
	}
	read := r.gate
	switch list, isList := mapped.Value.(*ast.ArrayType); {
	case lastName(mapped.Key) != "Feature" && lastName(mapped.Value) != "featureSpec":
		return nil
	case isList && lastName(list.Elt) == "Feature":
		read = r.need
	case !strings.HasSuffix(strings.ToLower(lastName(mapped.Value)), "spec") && lastName(mapped.Value) != "VersionedSpecs":
		return nil
	}
	for _, element := range literal.Elts {
		pair := element.(*ast.KeyValueExpr)
		name, err := r.text(pair.Key)
		if err != nil {
			return err
		}
		if err := read(name, pair.Value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (r *reader) need(name string, value ast.Expr) error {
	for _, element := range value.(*ast.CompositeLit).Elts {
		needed, err := r.text(element)
		if err != nil {
			return err
		}
		r.found.Needs[name] = append(r.found.Needs[name], needed)
	}
	return nil
}

func (r *reader) gate(name string, value ast.Expr) error {
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return fmt.Errorf("is no literal")
	}
	read, held, err := r.held(literal)
	if err != nil {
		return err
	}
	if known, ok := r.found.Gates[name]; ok && known != read {
		return fmt.Errorf("is declared twice")
	}
	if held {
		r.found.Gates[name] = read
	}
	return nil
}

// held returns the last of a gate's specs that the release holds to
// (component-base/featuregate/feature_gate.go featureSpecAtEmulationAndMinCompatVersion);
// a literal that is one spec itself has no version.
func (r *reader) held(literal *ast.CompositeLit) (spec, bool, error) {
	found, held := spec{}, false
	for _, element := range literal.Elts {
		one, ok := element.(*ast.CompositeLit)
		if !ok {
			read, _, err := r.spec(literal)
			return read, true, err
		}
		read, applies, err := r.spec(one)
		if err != nil {
			return found, false, err
		}
		if applies {
			found, held = read, true
		}
	}
	return found, held, nil
}

// spec reads one spec, and returns whether the release is not older than its version says.
func (r *reader) spec(literal *ast.CompositeLit) (spec, bool, error) {
	found, applies := spec{}, true
	for i, element := range literal.Elts {
		field, value := [...]string{"Default", "PreRelease"}[min(i, 1)], element // up to 1.5 without names
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			field, value = pair.Key.(*ast.Ident).Name, pair.Value
		}
		var err error
		switch field {
		case "Default":
			found.On, err = r.boolean(value)
		case "LockToDefault":
			found.Locked, err = r.boolean(value)
		case "PreRelease":
			found.Stage = strings.ToUpper(lastName(value))
		case "Version", "MinCompatibilityVersion":
			var reached bool
			reached, err = r.reached(field, value)
			applies = applies && reached
		default:
			err = fmt.Errorf("unknown field %s", field)
		}
		if err != nil {
			return found, false, err
		}
	}
	return found, applies, nil
}

// reached compares a version with that which the release emulates, or with the one before, to which it is compatible.
func (r *reader) reached(field string, value ast.Expr) (bool, error) {
	call, ok := value.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false, fmt.Errorf("%s is no call", field)
	}
	last, ok := call.Args[len(call.Args)-1].(*ast.BasicLit)
	if !ok {
		return false, fmt.Errorf("%s is no literal", field)
	}
	_, number, dotted := strings.Cut(strings.Trim(last.Value, `"`), ".")
	if !dotted {
		number = last.Value
	}
	minor, err := strconv.Atoi(number)
	if field == "MinCompatibilityVersion" {
		minor++
	}
	return minor <= r.packages.from.minor, err
}

// text evaluates a constant string.
func (r *reader) text(value ast.Expr) (string, error) {
	found, err := r.constant(r.pkg, r.imports, value)
	if err != nil {
		return "", err
	}
	if literal, ok := found.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		return strconv.Unquote(literal.Value)
	}
	return "", fmt.Errorf("%T is no constant string", value)
}

func (r *reader) boolean(value ast.Expr) (bool, error) {
	found, err := r.constant(r.pkg, r.imports, value)
	if err != nil {
		return false, err
	}
	switch lastName(found) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%T is no constant bool", value)
}

// constant follows constants of this and other packages, and conversions, to what they are set to.
func (r *reader) constant(within *pkg, imports map[string]string, value ast.Expr) (ast.Expr, error) {
	switch value := value.(type) {
	case *ast.Ident:
		if known, ok := within.consts[value.Name]; ok {
			return r.constant(within, imports, known)
		}
	case *ast.CallExpr:
		if len(value.Args) == 1 {
			return r.constant(within, imports, value.Args[0])
		}
	case *ast.SelectorExpr:
		other, err := r.packages.load(imports[lastName(value.X)])
		if err != nil {
			return nil, err
		}
		if known, ok := other.consts[value.Sel.Name]; ok {
			return r.constant(other, nil, known)
		}
	}
	return value, nil
}

// lastName returns the name of an identifier, or of what a selector selects; empty for anything else.
func lastName(value ast.Expr) string {
	switch value := value.(type) {
	case *ast.Ident:
		return value.Name
	case *ast.SelectorExpr:
		return value.Sel.Name
	}
	return ""
}
