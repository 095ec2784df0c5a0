"""Every other answer than a plan, computed by the same judge."""
