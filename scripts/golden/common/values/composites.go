package values

func lists() []named {
	return []named{
		{"list-nil", []string(nil)}, {"list-empty", []string{}}, {"list-one", []string{"a"}},
		{"list", []string{"a", "", "b c"}}, {"list-ints", []int{1, -2, 3}}, {"list-named", Names{"x", "y"}},
		{"list-named-nil", Names(nil)}, {"list-words", Words{1 << 40, 2}}, {"list-nested", [][]int{{1}, {}, nil, {2, 3}}},
		{"list-nested-three", [][][]string{{{"a"}, nil}, nil, {}}}, {"list-structs", []Point{{1, 2}, {3, 4}}},
		{"list-empty-structs", []Empty{{}, {}}}, {"list-maps", []map[string]int{nil, {}, {"a": 1}}},
		{"list-pointers", []*Point{{1, 2}, nil}}, {"list-pointers-to-pointers", []**int{pp(1), nil, pointerToNil()}},
		{"list-of-anonymous", []struct{ A, B int }{{1, 2}}}, {"list-bools", []bool{true, false}},
	}
}

func arrays() []named {
	return []named{
		{"array-empty", [0]int{}}, {"array-strings", [2]string{"a"}}, {"array-nested", [2][2]int{{1, 2}, {3, 4}}},
		{"array-pointers", [2]*int{p(5), nil}}, {"array-lists", [2][]int{{1}, nil}}, {"array-structs", [1]Point{{1, 2}}},
		{"array-interfaces", [3]interface{}{1, "a", nil}},
	}
}

func maps() []named {
	return []named{
		{"map-nil", map[string]string(nil)}, {"map-empty", map[string]string{}},
		{"map", map[string]string{"b": "2", "a": "1", "": "empty"}},
		{"map-named", Limits{"memory": {value: 1, text: "1", Unit: "DecimalSI"}, "cpu": {scale: -3}}},
		{"map-named-nil", Limits(nil)}, {"map-of-lists", map[string][]int{"a": {1}, "b": nil, "c": {}}},
		{"map-of-maps", map[string]map[string]int{"a": {"x": 1}, "b": nil, "c": {}}},
		{"map-of-pointers", map[string]*Point{"a": {1, 2}, "b": nil}}, {"map-of-structs", map[string]Empty{"a": {}}},
		{"map-of-interfaces", map[string]interface{}{"a": 1, "b": "x", "c": nil, "d": []int{1}, "e": p(1)}},
		{"map-of-pointers-to-pointers", map[string]**int{"a": pp(1), "b": nil}}, {"map-of-arrays", map[string][2]int{"a": {1, 2}}},
	}
}

// mapKeys leaves out keys that go-spew cannot order the same way every time:
// NaN, arrays of structs, and different keys with one text.
func mapKeys() []named {
	return []named{
		{"keys-prefix", map[string]int{"ab": 1, "a": 2, "a.b": 3, "a-b": 4, "A": 5}},
		{"keys-unicode", map[string]int{"é": 1, "z": 2, "\uffff": 3, "😀": 4, "日": 5}},
		{"keys-digits", map[string]int{"10": 1, "9": 2, "1": 3}}, {"keys-bool", map[bool]int{true: 1, false: 2}},
		{"keys-int", map[int]string{10: "a", 9: "b", -1: "c"}}, {"keys-int8", map[int8]int{-128: 1, 127: 2, 0: 3}},
		{"keys-int64", map[int64]int{1 << 62: 1, -1 << 62: 2}}, {"keys-uint", map[uint]int{10: 1, 9: 2}},
		{"keys-uint64", map[uint64]int{1 << 63: 1, 1: 2}}, {"keys-uintptr", map[uintptr]int{16: 1, 9: 2, 0: 3}},
		{"keys-float64", map[float64]int{10: 1, 9.5: 2, -1e21: 3}}, {"keys-float32", map[float32]int{0.1: 1, 1e9: 2}},
		{"keys-complex", map[complex128]int{10: 1, 9: 2, 1i: 3}}, {"keys-named", map[Name]Name{"b": "x", "a": "y"}},
		{"keys-struct", map[Point]int{{10, 1}: 1, {9, 1}: 2, {9, 0}: 3}},
		{"keys-anonymous-struct", map[struct{ A string }]int{{"b"}: 1, {"a"}: 2}},
		{"keys-array", map[[2]int]int{{10, 1}: 1, {9, 5}: 2, {9, 4}: 3}},
		{"keys-array-strings", map[[2]string]int{{"b", "a"}: 1, {"a", "z"}: 2, {"a", "b"}: 3}},
		{"keys-array-nested", map[[1][2]int]int{{{2, 1}}: 1, {{1, 9}}: 2}},
		{"keys-interface", map[interface{}]int{1: 1, "a": 2, true: 3, 10: 4, 9: 5, Name("a"): 6, Point{1, 2}: 7}},
		{"keys-interface-list", []map[interface{}]interface{}{{"k": []interface{}{1}}, nil}},
		{"keys-pointer", map[*int]string{p(10): "a", p(9): "b"}}, {"keys-pointer-struct", map[*Point]int{{2, 1}: 1, {1, 2}: 2}},
	}
}

func pointers() []named {
	return []named{
		{"pointer", p(1)}, {"pointer-nil", (*int)(nil)}, {"pointer-string", text1("s")}, {"pointer-named", &[]Name{"n"}[0]},
		{"pointer-pointer", pp(1)}, {"pointer-pointer-nil", (**int)(nil)}, {"pointer-to-nil", pointerToNil()},
		{"pointer-three", &[]**int{pp(7)}[0]}, {"pointer-struct", &Point{1, 2}}, {"pointer-struct-nil", (*Point)(nil)},
		{"pointer-empty-struct", &Empty{}}, {"pointer-list", &[]int{1}}, {"pointer-nil-list", new([]int)},
		{"pointer-map", &map[string]int{"a": 1}}, {"pointer-nil-map", new(map[string]int)}, {"pointer-array", &[2]int{1, 2}},
		{"pointer-interface", anyPointer(5)}, {"pointer-nil-interface", new(interface{})},
		{"pointer-interface-pointer", anyPointer(p(5))}, {"pointer-linked", &Inner{"a", &Inner{"b", nil}}},
	}
}

func p(i int) *int { return &i }

func pp(i int) **int {
	inner := p(i)
	return &inner
}

func pointerToNil() **int {
	var inner *int
	return &inner
}

func text1(s string) *string { return &s }

func anyPointer(v interface{}) *interface{} { return &v }
