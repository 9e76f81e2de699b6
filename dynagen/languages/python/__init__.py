"""Python on numpy arrays."""
