package values

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
)

// spec is the underlying type of a named type (a string) or its fields, in the
// notation of the type trees.
type spec interface{}

type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	JSON     string `json:"json"`
	Embedded bool   `json:"embedded,omitempty"`
}

// typeSpec names a type as the type trees do and files its definition in types.
func typeSpec(t reflect.Type, types map[string]spec) string {
	if t.PkgPath() != "" {
		define(t.Name(), t, types)
		return t.Name()
	}
	if t.Kind() == reflect.Struct {
		define(t.String(), t, types)
		return t.String()
	}
	return underlying(t, types)
}

func define(name string, t reflect.Type, types map[string]spec) {
	if _, known := types[name]; known {
		return
	}
	types[name] = "" // a type may contain itself
	types[name] = definition(t, types)
}

func definition(t reflect.Type, types map[string]spec) spec {
	if t.Kind() != reflect.Struct {
		return underlying(t, types)
	}
	fields := []field{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		fields = append(fields, field{f.Name, typeSpec(f.Type, types), f.Name, f.Anonymous})
	}
	return fields
}

func underlying(t reflect.Type, types map[string]spec) string {
	switch t.Kind() {
	case reflect.Ptr:
		return "*" + typeSpec(t.Elem(), types)
	case reflect.Slice:
		return "[]" + typeSpec(t.Elem(), types)
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), typeSpec(t.Elem(), types))
	case reflect.Map:
		return fmt.Sprintf("map[%s]%s", typeSpec(t.Key(), types), typeSpec(t.Elem(), types))
	case reflect.Interface:
		return "interface{}"
	}
	return t.Kind().String()
}

// encode writes a value as JSON that loses nothing: see golden/README.md.
func encode(v reflect.Value, types map[string]spec) interface{} {
	switch v.Kind() {
	case reflect.Ptr, reflect.Interface, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return nil
		}
		return encodeReference(v, types)
	case reflect.Array:
		return encodeList(v, types)
	case reflect.Struct:
		return encodeStruct(v, types)
	}
	return encodeScalar(v)
}

func encodeReference(v reflect.Value, types map[string]spec) interface{} {
	switch v.Kind() {
	case reflect.Ptr:
		return map[string]interface{}{"ptr": encode(v.Elem(), types)}
	case reflect.Interface:
		held := v.Elem()
		return map[string]interface{}{"type": typeSpec(held.Type(), types), "value": encode(held, types)}
	case reflect.Slice:
		return encodeList(v, types)
	}
	return encodeMap(v, types)
}

func encodeList(v reflect.Value, types map[string]spec) interface{} {
	list := []interface{}{}
	for i := 0; i < v.Len(); i++ {
		list = append(list, encode(v.Index(i), types))
	}
	return list
}

func encodeStruct(v reflect.Value, types map[string]spec) interface{} {
	object := map[string]interface{}{}
	for i := 0; i < v.NumField(); i++ {
		object[v.Type().Field(i).Name] = encode(v.Field(i), types)
	}
	return object
}

// encodeMap lists the pairs by the JSON of their keys: an order that is fixed
// and, on purpose, not go-spew's.
func encodeMap(v reflect.Value, types map[string]spec) interface{} {
	pairs := [][2]interface{}{}
	for _, key := range v.MapKeys() {
		pairs = append(pairs, [2]interface{}{encode(key, types), encode(v.MapIndex(key), types)})
	}
	sort.Slice(pairs, func(i, j int) bool { return text(pairs[i][0]) < text(pairs[j][0]) })
	return pairs
}

func text(key interface{}) string {
	data, err := json.Marshal(key)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func encodeScalar(v reflect.Value) interface{} {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return float(v.Float(), v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		c, bits := v.Complex(), v.Type().Bits()/2
		return []string{float(real(c), bits), float(imag(c), bits)}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Uint()
	}
	panic("a kind that prints an address: " + v.Kind().String())
}

func float(f float64, bits int) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}
