"""What runtimes recorded, as values."""
