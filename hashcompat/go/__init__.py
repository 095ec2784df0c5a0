"""Go semantics that Python does not share: types, strings, numbers, JSON and YAML text. No Kubernetes tables."""
