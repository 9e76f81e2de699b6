"""The URDF format of ROS, the Unified Robot Description Format (wiki.ros.org/urdf/XML)."""
