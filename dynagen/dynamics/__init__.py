"""Recording of dynamics: recursions over a RobotModel, written as in the papers, yield a Program.

A `@formula` is one equation in sympy. A formula is traced once with symbols and then applied to
recorded values, so that expressions stay small. The recorded program is the general algorithm. The
optimiser later removes the operations with zeros and ones of the robot.
"""
