"""The version of dynagen, said here alone: packages, generated files and manifests have it from here."""

__version__ = "0.2.0"
