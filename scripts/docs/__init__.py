"""The reference pages of docs/ that are made from the tables of the package."""
