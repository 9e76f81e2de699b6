"""Logs: what a robot recorded, from files of numbers to filtered samples; what is wrong with it, by file and column."""
