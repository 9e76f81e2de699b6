"""Delivered files: programs around the kernels, README, manifest, folders and wheels."""
