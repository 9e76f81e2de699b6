"""Optimiser: finds the cheapest program of a robot's function by counting operations.

A candidate is one formulation of a function: a model of the robot and a choice for each body
(`dynamics.candidate`). Every candidate yields a correct program.

- `compile`: the strategy, and its result for one function.
- `formulation`: the design space of a robot, estimates of candidates, and the search among them
  (`descent`).
- `effort`: settings that determine how long to search.
- `passes`: transformations of programs that keep their meaning.
- `search`: repeated factoring and resubstitution of optimised programs, within a budget.
- `value_graph`, `node_values`, `program_graph`: programs as graphs of values whose definitions can
  be replaced. Both `passes` and `search` use value graphs.
"""
