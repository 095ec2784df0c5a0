"""What a kubelet computes and decides."""
