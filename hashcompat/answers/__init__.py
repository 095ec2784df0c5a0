"""The other questions, answered by the same judge."""
