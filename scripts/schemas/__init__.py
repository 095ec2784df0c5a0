"""The type trees of schemas/, read from the source of Kubernetes."""
