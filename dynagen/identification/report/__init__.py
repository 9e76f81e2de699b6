"""Report: an identification as tables, JSON, a page, and a description of the robot."""
