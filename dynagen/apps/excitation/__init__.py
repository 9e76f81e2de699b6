"""Exciting trajectories: motions within a robot's limits that make its parameters observable.

`trajectories` contains the motions, which are finite Fourier series. `limits` contains joint limits
and the workspace. `problem` contains the optimisation problem, `excitation` the search, `command`
the command line, and `figure` the drawing.
"""
