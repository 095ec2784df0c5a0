"""One file a group of options."""
