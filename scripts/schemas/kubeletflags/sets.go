package main

import "fmt"

// harmless are the methods of flag sets that neither add nor change a flag.
var harmless = map[string]bool{
	"Parse": true, "Parsed": true, "Set": true, "SetOutput": true, "Usage": true,
	"Args": true, "Arg": true, "NArg": true, "PrintDefaults": true, "Changed": true,
}

// onSet calls a method of a flag set.
func (c *call) onSet(set *flagSet, name string, arguments []any) (any, error) {
	if kind, variable, shorthand, ok := method(name); ok {
		return set.register(kind, variable, shorthand, arguments)
	}
	switch name {
	case "AddFlag":
		return nil, set.adopt(arguments[0])
	case "AddFlagSet", "AddGoFlagSet":
		other, ok := arguments[0].(*flagSet)
		if !ok {
			return nil, fmt.Errorf("%s of what is not known", name)
		}
		set.addSet(other, name == "AddGoFlagSet")
		return nil, nil
	case "SetNormalizeFunc":
		set.setNormalize()
		return nil, nil
	case "GetNormalizeFunc":
		return normalizer{set}, nil
	case "VisitAll":
		return nil, c.visit(set, arguments[0])
	case "Lookup", "MarkDeprecated", "MarkHidden":
		return set.mark(name, arguments)
	}
	if harmless[name] {
		return nil, nil
	}
	return nil, fmt.Errorf("%s of a flag set is not understood", name)
}

// register adds the flag that a method such as BoolVarP describes.
func (s *flagSet) register(kind string, variable, shorthand bool, arguments []any) (any, error) {
	made := &Flag{Kind: kind}
	at := 0
	if variable {
		at = 1
	}
	name, ok := arguments[at].(string)
	if !ok {
		return nil, fmt.Errorf("a flag whose name is not known: argument %d of %d", at, len(arguments))
	}
	made.name = name
	if shorthand {
		made.Shorthand, _ = arguments[at+1].(string)
	}
	if kind == "" {
		found, err := kindOf(arguments[0])
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		made.Kind = found
	}
	s.add(made)
	return made, nil
}

func (s *flagSet) adopt(value any) error {
	made, ok := value.(*Flag)
	if !ok {
		return fmt.Errorf("a flag is added that is not known")
	}
	if s.find(made.name) != nil {
		return fmt.Errorf("--%s is registered twice", made.name)
	}
	s.add(made)
	return nil
}

// mark does what concerns one flag by its name; a flag that is not there is passed over, as
// in pflag, whose error nobody looks at.
func (s *flagSet) mark(how string, arguments []any) (any, error) {
	name, ok := arguments[0].(string)
	if !ok {
		return nil, fmt.Errorf("%s of a name that is not known", how)
	}
	found := s.find(name)
	if found == nil {
		return null{}, nil
	}
	switch how {
	case "MarkDeprecated":
		return nil, setFlag(found, "Deprecated", arguments[1], 0)
	case "MarkHidden":
		found.Hidden = true
	}
	return found, nil
}

func (c *call) visit(set *flagSet, value any) error {
	visitor, ok := value.(*closure)
	if !ok {
		return fmt.Errorf("flags are visited by what is not known")
	}
	for _, name := range append([]string{}, set.order...) {
		env := visitor.env.inner()
		c.bind(visitor.params, []any{set.flags[name]}, env)
		if _, err := c.run(visitor.body, env); err != nil {
			return err
		}
	}
	return nil
}

// normalizer is what GetNormalizeFunc returns.
type normalizer struct{ set *flagSet }

func (n normalizer) of(arguments []any) any {
	name, ok := arguments[len(arguments)-1].(string)
	if ok && n.set.normalize {
		return dashed(name)
	}
	return arguments[len(arguments)-1]
}
