"""Where pods come from. A source collects; it gives no verdicts."""
