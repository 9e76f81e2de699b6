"""Schedules of operations or subtasks on processors or arithmetic units.

A task graph (`tasks`) comes from a program (`operations`, `clustering`) or from the thesis's
decomposition (`decomposition`); `methods` lists the schedulers; `interval_bound` says how short a
schedule can be at best; `checking` judges any schedule and shares nothing with those who made it.
`partitioning` divides a program among cores on which it then runs.
"""
