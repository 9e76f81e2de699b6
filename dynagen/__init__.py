"""dynagen: the smallest correct dynamics code for exactly your robot."""

__version__ = "0.1.0"
