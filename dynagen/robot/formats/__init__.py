"""Formats of robot descriptions: YAML, URDF with xacro, and MJCF."""
