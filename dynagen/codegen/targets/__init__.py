"""Targets: the files around the kernels, the folder that is written whole or not at all, and the files of a wheel."""
