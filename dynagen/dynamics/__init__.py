"""Dynamics: from a RobotModel to a Program, by recursions that are written as papers print them.

A `@formula` is one equation in sympy. A formula is traced once with symbols and then applied to
recorded values, so that expressions stay small. The recorded program is the general algorithm. The
passes of the optimiser remove the zeros and ones of the robot.
"""
