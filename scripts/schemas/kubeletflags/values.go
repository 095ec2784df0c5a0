package main

import (
	"go/ast"
	"strings"
)

// Flag is one flag as it is registered.
type Flag struct {
	Kind       string `json:"kind"`
	Shorthand  string `json:"shorthand"`
	Deprecated bool   `json:"deprecated"`
	Hidden     bool   `json:"hidden"`
	name       string
	notice     string // as Flag.Deprecated has it
}

// flagSet is a set of flags, of the package flag or of pflag.
type flagSet struct {
	name      string
	flags     map[string]*Flag
	order     []string
	normalize bool
}

// typed is a value when only its type is known, with the fields that were set.
type typed struct {
	pkg    *pkg
	file   *file
	name   string
	fields map[string]any
}

// closure is a function with the variables that it sees.
type closure struct {
	params *ast.FieldList
	body   *ast.BlockStmt
	env    *scope
}

// list is a slice or an array, or a map's keys and values where entries is set.
type list struct {
	items   []any
	entries map[string]any
}

// null is Go's nil, where it is known to be nil.
type null struct{}

// scope is the variables of a function, and where it looks for others.
type scope struct {
	values map[string]any
	parent *scope
	file   *file
}

func (s *scope) inner() *scope { return &scope{map[string]any{}, s, s.file} }

func (s *scope) find(name string) (any, bool) {
	for at := s; at != nil; at = at.parent {
		if found, ok := at.values[name]; ok {
			return found, true
		}
	}
	return nil, false
}

func (s *scope) assign(name string, value any) {
	for at := s; at != nil; at = at.parent {
		if _, ok := at.values[name]; ok {
			at.values[name] = value
			return
		}
	}
	s.values[name] = value
}

func newSet(name string) *flagSet { return &flagSet{name: name, flags: map[string]*Flag{}} }

func (s *flagSet) add(made *Flag) {
	if s.normalize {
		made.name = dashed(made.name)
	}
	if _, known := s.flags[made.name]; !known {
		s.order = append(s.order, made.name)
	}
	s.flags[made.name] = made
}

func (s *flagSet) find(name string) *Flag {
	if s.normalize {
		name = dashed(name)
	}
	return s.flags[name]
}

// addSet does what AddFlagSet and AddGoFlagSet do: a flag that is there stays.
func (s *flagSet) addSet(other *flagSet, fromGo bool) {
	for _, name := range other.order {
		if s.find(name) == nil {
			made := other.flags[name]
			if fromGo {
				made = fromGoFlag(made)
			}
			s.add(made)
		}
	}
}

// fromGoFlag does what pflag.PFlagFromGoFlag does: a name of one letter is a shorthand too.
func fromGoFlag(of *Flag) *Flag {
	made := *of
	if len(made.name) == 1 {
		made.Shorthand = made.name
	}
	return &made
}

// setNormalize does what SetNormalizeFunc does with WordSepNormalizeFunc.
func (s *flagSet) setNormalize() {
	old := s.order
	flags := s.flags
	s.normalize, s.order, s.flags = true, nil, map[string]*Flag{}
	for _, name := range old {
		s.add(flags[name])
	}
}

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// isFlags returns whether losing a value would lose flags.
func isFlags(value any) bool {
	switch value.(type) {
	case *flagSet, *Flag:
		return true
	}
	return false
}
