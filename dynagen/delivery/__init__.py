"""Delivery: the files around the kernels, the folder that is written whole or not at all, and what reads it again."""
