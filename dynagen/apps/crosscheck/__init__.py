"""Robots in other tools, and the cross-check: functions and parts of the same file, compared with the numeric reference."""
