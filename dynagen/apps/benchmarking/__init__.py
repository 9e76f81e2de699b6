"""Run times of a robot's functions, next to the run times of other tools.

All tools run in one process on the same states. The results of all tools are compared before the
tools are timed.
"""
