"""Recording of dynamics: recursions over a RobotModel, written as in the papers, yield a Program.

A `@formula` is one equation in sympy. A formula is traced once with symbols and then applied to
recorded values, so that expressions stay small. The recorded program contains all operations of the
general algorithm; the optimiser later removes operations with constants of the robot that are zero
or one.
"""
