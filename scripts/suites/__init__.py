"""What the slow suites of tests/suites build: patched kubelets, servers, clients."""
