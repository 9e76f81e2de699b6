"""Formats of robot descriptions: YAML, URDF and MJCF, and the numbers, names and placements that they share."""
