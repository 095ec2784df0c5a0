"""Attacks of tenants, pull requests and working directories, each of which fails."""
