"""Robots: descriptions as users write them, the formats that they are read from, and the model.

A description is validated, in SI units and in the user's own frames. Each format is a package that
reads a `RobotDescription`. `model` puts the description into the generator's frames. Equations of
motion and generated code are not part of this package.
"""
