"""A type schema becomes functions, once; then values are decoded and printed without looking at types again.

A factory takes a Go type and returns a function, with those of its parts resolved while it is built. A
struct's value is a tuple in Go's field order, a pointer's a tuple of one, nil is None. ``decode.py`` makes
values of JSON, and plain data of values; ``spew.py`` prints go-spew's text, ``gojson.py`` encoding/json's.
"""
