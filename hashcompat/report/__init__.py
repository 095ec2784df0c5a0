"""Results as documents and rows, one file a result."""
