"""Go's semantics where Python differs: types, strings, numbers, JSON and YAML text. No Kubernetes tables."""
