"""Patches for a kubelet's source after which it takes the hashes of another release for its own."""
