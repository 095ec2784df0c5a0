"""The product: pods and two releases -> a plan."""
