"""Excitation: motions from whose measurements a robot's parameters can be told, within its limits.

`trajectories` are finite Fourier series; `problem` says what their free numbers are worth, by the `information` that samples
of the motion have and by what is left of `motion_limits` and `workspace`; `excitation` is the whole way.
"""
