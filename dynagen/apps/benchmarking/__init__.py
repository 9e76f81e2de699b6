"""Run times of a robot's functions, next to the run times of other tools.

All tools run in one process on the same states. Their results are compared before they are timed.
"""
