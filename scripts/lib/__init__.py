"""What all scripts share: paths, Go programs, generated files."""
