"""What a kubelet and an API server do: the hash of an era, defaulting, and which containers are compared."""
