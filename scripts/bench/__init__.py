"""Benchmarks: hashing next to real Go, and reading large files."""
