"""Exciting trajectories: motions within a robot's limits that make its parameters observable.

`trajectories` contains the motions, which are finite Fourier series. `limits` contains joint limits
and the workspace. `problem` computes how well a trajectory determines the parameters and how far it
is from the limits, with the derivatives of both. `excitation` contains the search, `command` the
command line and `figure` the drawing.
"""
