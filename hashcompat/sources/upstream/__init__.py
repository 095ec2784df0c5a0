"""Kubernetes' own source."""
