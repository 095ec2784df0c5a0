"""What API servers and kubelets alike do to a core/v1 pod."""
