"""What makes the generated data of this project, and what its slow suites and benchmarks are built from."""
