"""Robot descriptions in URDF, the Unified Robot Description Format of ROS (wiki.ros.org/urdf/XML)."""
