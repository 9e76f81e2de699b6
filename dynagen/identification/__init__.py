"""Identification: parameters of a robot from measured motion and joint forces.

`excitation` finds motions that tell them apart, `triangular` accumulates what least squares needs of logs of any length.
"""
