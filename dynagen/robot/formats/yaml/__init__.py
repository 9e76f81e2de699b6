"""The YAML format of robot descriptions.

Reading goes from text to a `Document` with line numbers, to the models of `schema`, to a
`RobotDescription`. All faults of a file are reported together, each with its line.
"""
