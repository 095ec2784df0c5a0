"""Frozen values between the stages, one file a stage."""
