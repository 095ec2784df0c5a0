package main

// Tree is the part of a schema file that comes from Go source: the root and everything reachable from it.
type Tree struct {
	Package string         `json:"package"`
	Root    string         `json:"root"`
	Types   map[string]any `json:"types"`
}

// Field is one struct field as spew prints it (Name, Type) and as encoding/json names it (JSON, OmitEmpty).
type Field struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	JSON      string `json:"json"`
	OmitEmpty bool   `json:"omitempty,omitempty"`
	Embedded  bool   `json:"embedded,omitempty"`
}
