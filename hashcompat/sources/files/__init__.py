"""Files, directories, streams and URLs."""
