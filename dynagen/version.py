"""The version of dynagen, defined only here: packages, generated files and manifests read it."""

__version__ = "0.2.0"
