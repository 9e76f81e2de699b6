"""Simulation of a robot's motion under torques, with its compiled forward dynamics.

`plant` compiles a robot for simulation; `rigid_plant` and `motor_plants` compute its accelerations,
friction and energies. `torques` contains the sources of joint forces: tables, functions and
controllers. `integration` advances the state, with fixed steps or error control, and handles joints
that dry friction keeps at rest. `simulation` is the entry point and returns a `Motion`. `command`
is the command line, and `figure` the drawing.
"""
