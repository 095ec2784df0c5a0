"""Benchmarks: hashing beside real Go, and reading large files."""
