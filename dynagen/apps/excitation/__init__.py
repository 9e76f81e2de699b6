"""Excitation: motions whose measurements determine a robot's parameters, within its limits.

`trajectories` are finite Fourier series. `limits` are the joint limits and the workspace. `problem`
computes the information of a trajectory, the distance to its limits, and their derivatives.
`excitation` is the entry point with the search, `command` the command line, `figure` the drawing.
"""
