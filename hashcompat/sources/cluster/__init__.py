"""A live cluster."""
