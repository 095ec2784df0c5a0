"""What a kubelet computes."""
