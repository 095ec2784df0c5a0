"""Verdicts -> text. Functions return strings; only the command line prints."""
