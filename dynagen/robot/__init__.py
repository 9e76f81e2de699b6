"""Robot descriptions: what the user wrote, validated and in SI units, in the user's own frames.

Every input syntax is a package of its own that reads a RobotDescription. Nothing in here knows of equations of motion or of
generated code.
"""
