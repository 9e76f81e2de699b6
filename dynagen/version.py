"""The version of dynagen, in the one place that everything below the pipeline may import."""

__version__ = "0.1.0"
