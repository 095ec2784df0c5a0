"""The container runtime of this node."""
