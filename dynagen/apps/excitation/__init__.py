"""Exciting trajectories: motions within a robot's limits that make its parameters observable.

`trajectories` contains the motions, which are finite Fourier series. `limits` contains joint limits
and the workspace. `problem` computes how well a trajectory determines the parameters, its distance
from the limits, and the derivatives of both quantities. `excitation` contains the search, `command`
the command line and `figure` the drawing.
"""
