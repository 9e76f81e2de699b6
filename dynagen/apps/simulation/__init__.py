"""Simulation: the motion of a robot under torques, integrated with its compiled forward dynamics.

`plant` computes accelerations, friction and energies. `torques` are the drives: tables, functions
and controllers. `integration` advances the state, with fixed steps or error control, and handles
joints that dry friction keeps at rest. `simulation` is the entry point and returns a `Motion`;
`command` is the command line, `figure` the drawing.
"""
