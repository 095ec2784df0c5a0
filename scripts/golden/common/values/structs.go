package values

func interfaces() []named {
	return []named{
		{"interface-nil", nil}, {"interface-list", []interface{}{nil, 1, "a", 1.5, true, []byte{1}, Name("n")}},
		{"interface-list-nil", []interface{}(nil)}, {"interface-list-empty", []interface{}{}},
		{"interface-pointers", []interface{}{p(1), pp(2), (*int)(nil), pointerToNil(), &Point{1, 2}}},
		{"interface-nested", []interface{}{[]interface{}{[]interface{}{1}, nil}}},
		{"interface-maps", []interface{}{map[string]interface{}{"a": nil, "b": 1}, map[string]int(nil)}},
		{"interface-structs", []interface{}{Empty{}, Point{1, 2}, struct{ A interface{} }{2}}},
		{"interface-named", []Any{1, nil, Name("n")}},
		{"interface-field-nil", struct{ E interface{} }{}}, {"interface-field", struct{ E interface{} }{1}},
		{"interface-field-pointer", struct{ E interface{} }{p(1)}},
		{"interface-field-nil-pointer", struct{ E interface{} }{(*int)(nil)}},
		{"interface-field-list", struct{ E interface{} }{[]string{"a"}}},
		{"interface-json", map[string]interface{}{"list": []interface{}{1.0, "x", map[string]interface{}{"k": nil}}, "none": nil}},
	}
}

func structs() []named {
	return []named{
		{"struct-empty", Empty{}}, {"struct", Point{1, -2}}, {"struct-anonymous", struct{ A, B string }{"a", ""}},
		{"struct-anonymous-empty", struct{}{}}, {"struct-unexported", Amount{value: 100, scale: -3, text: "100m", Unit: "DecimalSI"}},
		{"struct-with-string-method", Spoken{"word"}}, {"struct-pointer-with-error-method", &Failed{3}},
		{"struct-embedded", ByValue{Inner{"a", nil}, true}}, {"struct-embedded-pointer", ByPointer{&Inner{"a", nil}, true}},
		{"struct-embedded-nil", ByPointer{}}, {"struct-embedded-names", EmbedsName{"n", 2}},
		{"struct-embedded-linked", ByValue{Inner{"a", &Inner{"b", nil}}, false}},
		{"struct-nested-anonymous", struct {
			Outer struct{ Inner struct{ X []int } }
		}{}},
		{"struct-pointer-field", struct{ P, Nil *int }{P: p(1)}},
		{"struct-pointer-pointer-field", struct{ P, Nil, ToNil **int }{P: pp(1), ToNil: pointerToNil()}},
		{"struct-pointer-to-list", struct {
			L *[]int
			M *map[string]int
		}{&[]int{1}, nil}},
		{"struct-everything-zero", Everything{}}, {"struct-everything", everything()},
		{"struct-everything-pointer", pointerToEverything()}, {"struct-everything-list", []Everything{everything(), {}}},
	}
}

func everything() Everything {
	filled := Everything{
		B: true, I: 1, I8: 2, I16: 3, I32: 4, I64: 5, U: 6, U8: 7, U16: 8, U32: 9, U64: 10, Uptr: 11,
		F32: 1.5, F64: 2.5, C64: 1i, C128: 2, S: "s", L: []string{"a", "b"}, A: [2]int{1, 2},
		M: map[string]int{"b": 1, "a": 2}, P: p(3), PP: pp(4), E: Point{1, 2}, N: "n", R: Raw("r"),
		St: Point{5, 6}, LP: []*int{p(1), nil}, MP: map[string]*Point{"k": {1, 2}, "j": nil},
		LE: []interface{}{1, nil, Name("x")}, ME: map[string]interface{}{"k": []int{1}, "j": nil},
	}
	filled.An.Deep.Deeper = []int{1}
	return filled
}

func pointerToEverything() *Everything {
	filled := everything()
	return &filled
}
