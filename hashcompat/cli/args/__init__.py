"""One file per group of options."""
