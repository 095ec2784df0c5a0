"""A type schema becomes functions, once; then values are decoded and printed without looking at types again.

A factory takes a Go type and returns a function, with those of its parts resolved while it is built. A
struct's value is a tuple in Go's field order, a pointer's a tuple of one, nil is None. ``gojson.py`` makes
values of JSON, plain data of values, and encoding/json's text; ``spew.py`` prints go-spew's.
"""
