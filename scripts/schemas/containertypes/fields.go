package main

import (
	"fmt"
	"go/ast"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// fields lists a struct's fields in declaration order, the order in which spew and encoding/json write them.
func (w *walker) fields(structure *ast.StructType) ([]Field, error) {
	result := []Field{}
	for _, declared := range structure.Fields.List {
		text, err := w.text(declared.Type)
		if err != nil {
			return nil, err
		}
		for _, name := range names(declared, text) {
			field, err := w.tagged(Field{Name: name, Type: text, Embedded: declared.Names == nil}, declared.Tag)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", name, err)
			}
			result = append(result, field)
		}
	}
	return result, nil
}

// names gives an embedded field the name of its type, as reflection does and spew prints.
func names(declared *ast.Field, text string) []string {
	if declared.Names == nil {
		return []string{text[strings.LastIndexAny(text, "*.")+1:]}
	}
	result := []string{}
	for _, ident := range declared.Names {
		result = append(result, ident.Name)
	}
	return result
}

// tagged adds what the json tag says. In a versioned package a field without one cannot come from an API object;
// the internal types of 1.0 - 1.5 leave some tags out, and those fields have the key of the v1 field: their name
// with a small first letter.
func (w *walker) tagged(field Field, literal *ast.BasicLit) (Field, error) {
	if literal == nil && w.source.pkg == "api" {
		field.JSON = strings.ToLower(field.Name[:1]) + field.Name[1:]
		return field, nil
	}
	if literal == nil {
		return field, fmt.Errorf("it has no tag")
	}
	tag, err := strconv.Unquote(literal.Value)
	if err != nil {
		return field, err
	}
	value, ok := reflect.StructTag(tag).Lookup("json")
	if !ok {
		return field, fmt.Errorf("it has no json tag")
	}
	key, options, _ := strings.Cut(value, ",")
	field.JSON = key
	for _, option := range strings.Split(options, ",") {
		field.OmitEmpty = field.OmitEmpty || isOmitEmpty(field.Name, option)
	}
	return field, nil
}

// isOmitEmpty accepts "omitEmpty" too, with a note: v1.12.0 and v1.12.1 spell ProcMount's option that way.
// encoding/json takes it for no option at all, but no kubelet before 1.16 hashes JSON.
func isOmitEmpty(field, option string) bool {
	if strings.EqualFold(option, "omitempty") && option != "omitempty" {
		fmt.Fprintf(os.Stderr, "note: field %s spells its option %s\n", field, option)
	}
	return strings.EqualFold(option, "omitempty")
}
