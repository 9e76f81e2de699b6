"""Exact numbers: rational and irrational ones, angles, and those that run-time parameters decide."""
