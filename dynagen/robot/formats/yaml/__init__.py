"""The YAML format of robot descriptions.

The text of a file becomes a `Document` with line numbers, then pydantic models (`schema`), then a
`RobotDescription`. All faults of a file are reported together, each with its line.
"""
