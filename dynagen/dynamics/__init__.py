"""Dynamics: RobotModel -> Program. Recursions written with sympy as papers print them, recorded step by step.

A formula is traced once with symbols and then applied to recorded values, so no expression ever swells. What is recorded is
the general algorithm; that this robot's zeros and ones vanish is the work of the passes.
"""
