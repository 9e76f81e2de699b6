"""Schedules of a function's operations on several processors or arithmetic units.

A task graph (`codegen.cores.tasks`) contains tasks and their dependences. `clustering` makes task
graphs from programs, and `decomposition` by the rules of Dhanaraj's thesis of 1990. `methods`
contains the schedulers, and a lower bound on the length of schedules. `checking` checks schedules,
and shares no code with the schedulers. `study` compares schedules with published schedules;
`report` and `page` present the results.
"""
