"""The checks, a small pure module each."""
