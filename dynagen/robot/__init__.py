"""Robots: descriptions as users write them, file formats, and the model for the generator.

A description is validated; it has SI units and the user's own frames. Each file format is a package
that reads a `RobotDescription`. The package `model` converts the description to the generator's
frames. Equations of motion and generated code are not part of this package.
"""
