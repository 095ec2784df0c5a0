package main

import "fmt"

// Tree is the part of a schema file that comes from Go source. Unpaired and
// Unread are the fields that schemas/tables/conversions.json must account for:
// internal ones that v1 has not, and v1 ones that the internal type has not.
type Tree struct {
	Package  string            `json:"package"`
	Root     string            `json:"root"`
	Packages map[string]string `json:"packages"`
	Types    map[string]any    `json:"types"`
	Unpaired []string          `json:"unpaired"`
	Unread   []string          `json:"unread"`
}

// Field is one struct field: Name and Type as spew prints them, JSON as the v1
// field of that name is called ("" is inline) and Wire its type where that differs.
type Field struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	JSON     *string `json:"json,omitempty"`
	Wire     string  `json:"wire,omitempty"`
	Embedded bool    `json:"embedded,omitempty"`
}

// opaque are the types that are named and not expanded: two whose text has
// rules of its own, and one whose text depends on the host.
var opaque = map[string]bool{"resource.Quantity": true, "intstr.IntOrString": true, "time.Location": true}

// timeFields are those of time.Time, which no Kubernetes module has. Go 1.9
// changed them (golang/go issue 12914), and kubelets to 1.8 were built before.
var timeFields = map[string][]Field{
	"sec":  {{Name: "sec", Type: "int64"}, {Name: "nsec", Type: "int32"}, {Name: "loc", Type: "*time.Location"}},
	"wall": {{Name: "wall", Type: "uint64"}, {Name: "ext", Type: "int64"}, {Name: "loc", Type: "*time.Location"}},
}

// walker visits the internal types and the v1 types that feed them together.
type walker struct {
	*packages
	home *pkg
	tree *Tree
}

func read(from options) (*Tree, error) {
	all := &packages{from, map[string]*pkg{}}
	internal, err := all.load(from.internal)
	if err != nil {
		return nil, err
	}
	wire, err := all.load(from.wire)
	if err != nil {
		return nil, err
	}
	tree := &Tree{
		Package: internal.name, Root: "Pod", Packages: map[string]string{}, Types: map[string]any{},
		Unpaired: []string{}, Unread: []string{},
	}
	walk := walker{all, internal, tree}
	_, err = walk.name(&shape{kind: named, pkg: internal, name: "Pod"}, &shape{kind: named, pkg: wire, name: "Pod"})
	return tree, err
}

// name gives a type's text and, at first sight, describes it.
func (w walker) name(of, fed *shape) (string, error) {
	switch of.kind {
	case basic:
		return of.text, nil
	case pointer, list, mapping:
		return w.container(of, fed)
	case named:
		return w.named(of, fed)
	}
	return "", fmt.Errorf("an anonymous struct, which no release has had")
}

func (w walker) container(of, fed *shape) (string, error) {
	var below *shape
	if fed = w.underlying(fed); fed != nil && fed.kind == of.kind {
		below = fed.elem
	}
	elem, err := w.name(of.elem, below)
	if err != nil || of.kind == pointer {
		return "*" + elem, err
	}
	if of.kind == list {
		return "[]" + elem, nil
	}
	key, err := w.name(of.key, nil)
	return fmt.Sprintf("map[%s]%s", key, elem), err
}

// underlying looks through a name, so that a list and a named list can be paired.
func (w walker) underlying(of *shape) *shape {
	if of == nil || of.kind != named || of.pkg.path == "time" {
		return of
	}
	found, err := w.resolve(of)
	if err != nil {
		return nil
	}
	return found
}

func (w walker) named(of, fed *shape) (string, error) {
	w.tree.Packages[of.pkg.name] = of.pkg.path
	text := of.pkg.name + "." + of.name
	if of.pkg == w.home {
		text = of.name
	}
	if _, known := w.tree.Types[text]; known || opaque[text] {
		return text, nil
	}
	w.tree.Types[text] = "" // a type may contain itself
	described, err := w.definition(text, of, fed)
	w.tree.Types[text] = described
	return text, err
}

func (w walker) definition(text string, of, fed *shape) (any, error) {
	if text == "time.Time" {
		w.tree.Types["time.Time"] = timeFields[w.from.time]
		return timeFields[w.from.time], nil
	}
	made, err := w.resolve(of)
	if err != nil {
		return nil, err
	}
	if made.kind != structure {
		return w.name(made, w.underlying(fed))
	}
	return w.members(text, made, w.underlying(fed))
}

// members pairs fields by name: v1 and internal types declare them in other
// orders, and conversion goes by name.
func (w walker) members(text string, made, fed *shape) ([]Field, error) {
	if fed == nil || fed.kind != structure {
		fed = &shape{}
	}
	result := []Field{}
	for _, one := range made.fields {
		member, err := w.member(one, fed.find(one.name))
		if err != nil {
			return nil, err
		}
		if member.JSON == nil {
			w.tree.Unpaired = append(w.tree.Unpaired, text+"."+one.name)
		}
		result = append(result, member)
	}
	for _, source := range fed.fields {
		if made.find(source.name) == nil {
			w.tree.Unread = append(w.tree.Unread, text+"."+source.name)
		}
	}
	return result, nil
}

func (w walker) member(one field, source *field) (Field, error) {
	result := Field{Name: one.name, Embedded: one.embedded}
	if source == nil {
		source = &field{shape: nil}
	} else {
		result.JSON = &source.json
		if wire := source.shape.bare(); wire != one.shape.bare() {
			result.Wire = wire
		}
	}
	var err error
	result.Type, err = w.name(one.shape, source.shape)
	return result, err
}
