"""What both API servers and kubelets do to a core/v1 pod."""
