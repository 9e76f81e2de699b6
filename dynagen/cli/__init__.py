"""Command line, with one short module for each command.

Exit status: 0 success, 1 proof failed or output stale, 2 invalid input, 3 toolchain missing.
"""
