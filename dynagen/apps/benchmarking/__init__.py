"""Run times of functions compared with other tools.

All tools run in one process on the same states. Their results are compared before they are timed.
"""
