"""Patches of the kubelet's source that make it accept the hashes of other releases."""
