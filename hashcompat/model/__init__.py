"""Frozen values between the stages, one module per stage."""
