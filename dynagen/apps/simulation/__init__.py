"""Simulation: the motion of a robot under torques, integrated over its compiled forward dynamics.

`plant` computes accelerations and energies, `sticking` decides which joints dry friction holds, `torques` are what drives the
robot, `adaptive` and `fixed_step` integrate, `motion` is what comes out and `figure` draws it.
"""
