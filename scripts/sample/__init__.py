"""The sample cluster that ships with the package."""
