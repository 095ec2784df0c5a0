package values

import "math"

// named is one value under a name that says what it shows.
type named struct {
	name  string
	value interface{}
}

func all() []named {
	var list []named
	for _, part := range [][]named{
		booleans(), integers(), unsigned(), floats(), complexes(), texts(), byteLists(),
		lists(), arrays(), maps(), mapKeys(), pointers(), interfaces(), structs(),
	} {
		list = append(list, part...)
	}
	return list
}

func booleans() []named {
	return []named{{"bool-true", true}, {"bool-false", false}, {"bool-named", Flag(true)}}
}

func integers() []named {
	return []named{
		{"int-zero", 0}, {"int-negative", -17}, {"int-max", math.MaxInt64}, {"int-min", math.MinInt64},
		{"int8-min", int8(math.MinInt8)}, {"int8-max", int8(math.MaxInt8)},
		{"int16-min", int16(math.MinInt16)}, {"int16-max", int16(math.MaxInt16)},
		{"int32-min", int32(math.MinInt32)}, {"int32-max", int32(math.MaxInt32)},
		{"int64-min", int64(math.MinInt64)}, {"int64-max", int64(math.MaxInt64)},
		{"int-named", Count(-3)}, {"rune", 'x'},
	}
}

func unsigned() []named {
	return []named{
		{"uint-zero", uint(0)}, {"uint-max", uint(math.MaxUint64)}, {"uint8-max", uint8(math.MaxUint8)},
		{"uint16-max", uint16(math.MaxUint16)}, {"uint32-max", uint32(math.MaxUint32)},
		{"uint64-max", uint64(math.MaxUint64)}, {"uint-named", Word(1 << 63)},
		{"uintptr-zero", uintptr(0)}, {"uintptr-small", uintptr(9)}, {"uintptr-hex", uintptr(0xdeadbeef)},
		{"uintptr-max", uintptr(math.MaxUint64)}, {"uintptr-list", []uintptr{0, 15, 16}},
	}
}

func floats() []named {
	negativeZero := math.Copysign(0, -1)
	return []named{
		{"float64-zero", 0.0}, {"float64-negative-zero", negativeZero}, {"float64-nan", math.NaN()},
		{"float64-inf", math.Inf(1)}, {"float64-negative-inf", math.Inf(-1)}, {"float64-one", 1.0},
		{"float64-tenth", 0.1}, {"float64-third", 1.0 / 3}, {"float64-1e20", 1e20}, {"float64-1e21", 1e21},
		{"float64-1e-4", 1e-4}, {"float64-1e-5", 1e-5}, {"float64-1e-7", 1e-7}, {"float64-123456789", 123456789.0},
		{"float64-max", math.MaxFloat64}, {"float64-smallest", math.SmallestNonzeroFloat64}, {"float64-1e100", -1e100},
		{"float32-zero", float32(0)}, {"float32-negative-zero", float32(negativeZero)},
		{"float32-nan", float32(math.NaN())}, {"float32-inf", float32(math.Inf(1))},
		{"float32-tenth", float32(0.1)}, {"float32-third", float32(1) / 3}, {"float32-1e20", float32(1e20)},
		{"float32-1e21", float32(1e21)}, {"float32-1e-7", float32(1e-7)}, {"float32-max", float32(math.MaxFloat32)},
		{"float32-smallest", float32(math.SmallestNonzeroFloat32)}, {"float32-16777216", float32(16777216)},
		{"float-named", Ratio(2.5)}, {"float-list", []float64{1, 0.5, 1e22}},
	}
}

func complexes() []named {
	negativeZero := math.Copysign(0, -1)
	return []named{
		{"complex128-zero", complex(0, 0)}, {"complex128", complex(1.5, -2)}, {"complex128-plus", complex(-1, 2e21)},
		{"complex128-nan", complex(math.NaN(), math.NaN())}, {"complex128-inf", complex(math.Inf(-1), math.Inf(1))},
		{"complex128-negative-zero", complex(negativeZero, negativeZero)},
		{"complex64", complex64(complex(0.1, 1.0/3))}, {"complex64-negative", complex64(complex(-0.1, -1e-7))},
		{"complex-list", []complex128{1, 1i}},
	}
}

func texts() []named {
	return []named{
		{"string-empty", ""}, {"string", "plain"}, {"string-spaces", " a  b "}, {"string-quotes", `"'` + "`"},
		{"string-controls", "\x00\a\b\t\n\v\f\r\x1b\x7f"}, {"string-unicode", "é ü 日本 😀 \u2028\u2029\ufeff"},
		{"string-like-spew", "(string)x [a b] map[a:b] {A:(int)1} <nil>"}, {"string-percent", "%v %#v %!d(MISSING)"},
		{"string-named", Name("n")},
	}
}

func byteLists() []named {
	return []named{
		{"bytes-nil", []byte(nil)}, {"bytes-empty", []byte{}}, {"bytes", []byte("{\"a\":1}")},
		{"bytes-all-ends", []byte{0, 9, 10, 99, 100, 255}}, {"bytes-named", Raw("raw")}, {"bytes-named-nil", Raw(nil)},
		{"bytes-list", [][]byte{nil, {}, {1, 2}}}, {"bytes-array", [3]byte{1, 2, 3}}, {"bytes-array-named", Block{4, 5}},
		{"bytes-map", map[string][]byte{"k": {7}, "n": nil}},
	}
}
