"""Exact numbers: rational and irrational numbers, angles, and numbers with run-time parameters."""
