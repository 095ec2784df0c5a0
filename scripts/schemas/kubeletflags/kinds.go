package main

import (
	"fmt"
	"strings"
)

// plain are the kinds by what the methods of flag sets are called, without Var and P; those of numbers are Go's types.
var plain = map[string]string{
	"Bool": "bool", "String": "string", "Duration": "duration", "Float32": "float32", "Float64": "float64",
	"Int": "int", "Int32": "int32", "Int64": "int64", "Uint": "uint", "Uint16": "uint16", "Uint32": "uint32", "Uint64": "uint64",
	"StringSlice": "list", "StringArray": "list", "IP": "string", "StringToString": "map",
}

// custom are the kinds by the types of the values, or by what makes them.
var custom = map[string]string{
	"StringFlag": "string", "IPVar": "string", "IPPortVar": "string", "PortRangeVar": "string",
	"ConfigurationMap": "map", "MapStringBool": "map", "MapStringString": "map", "MapStringStringNoSplit": "map",
	"LangleSeparatedMapStringString": "map", "ColonSeparatedMultimapStringString": "map",
	"taintsVar": "list", "RegisterWithTaintsVar": "list", "ReservedMemoryVar": "list",
	"versionValue": "version", "QuantityValue": "quantity",
	"Level": "int", "VerbosityLevel": "int", "VerbosityLevelPflag": "int",
	"severity": "string", "severityValue": "string", "traceLocation": "string",
	"moduleSpec": "string", "VModuleConfiguration": "string", "VModuleConfigurationPflag": "string",
	"metricSetValue": "string", "cidrs": "string",
}

// method splits the name of a method that registers a flag: BoolVarP is Bool, with a
// variable and a shorthand. ok is false for other methods.
func method(name string) (kind string, variable, shorthand, ok bool) {
	for _, ending := range []string{"", "P", "Var", "VarP", "VarPF"} {
		base, cut := strings.CutSuffix(name, ending)
		if _, known := plain[base]; cut && (known || base == "" && ending != "" && ending != "P") {
			return plain[base], strings.HasPrefix(ending, "Var"), strings.Contains(ending, "P"), true
		}
	}
	return "", false, false, false
}

// kindOf returns the kind of a flag that Var registers.
func kindOf(value any) (string, error) {
	switch value := value.(type) {
	case *Flag:
		return value.Kind, nil
	case *typed:
		if kind, ok := custom[value.name]; ok {
			return kind, nil
		}
		return "", fmt.Errorf("no kind is known for values of %s", value.name)
	}
	return "", fmt.Errorf("no kind is known for %T", value)
}
