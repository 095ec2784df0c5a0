"""Golden data and the Go programs that make it: what kubelets and API servers of each release compute."""
