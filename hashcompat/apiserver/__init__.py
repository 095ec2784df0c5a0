"""What an API server does to a pod."""
