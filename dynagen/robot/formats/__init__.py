"""The formats YAML, URDF with xacro, and MJCF of robot descriptions."""
