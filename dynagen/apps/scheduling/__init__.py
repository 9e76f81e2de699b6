"""Schedules of a function's operations on several processors or arithmetic units.

A task graph (`codegen.cores.tasks`) contains tasks and their dependences. It is made from a program
(`clustering`), or by the rules of Dhanaraj's thesis of 1990 (`decomposition`). `methods` contains
the schedulers, and a lower bound on the length of any schedule. `checking` checks schedules and
shares no code with the schedulers. `study` compares schedules with published schedules; `report`
and `page` present the results.
"""
