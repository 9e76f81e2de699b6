"""Optimisation: choose the candidate whose program costs least, by counting operations.

What can be chosen is in `dynamics.candidate`, `model.regrouping` and `model.sliding`; every choice gives a correct program,
which is proved like any other. `compilation` goes from a function to its program; `design_space` makes candidates,
`estimation` counts them roughly, `candidate_search` looks through many more of them, and `refactoring` then factors the best
programs anew.

Networks: programs as functions of the inputs, each known by its fingerprint, whose definitions can be exchanged.

A program is read (`reading`) into a `network`, whose nodes are known by their `node_values`: residues, ranges, exact ratios.
Whoever changes it, greedily (`passes.resubstitution`) or at random (`refactoring.drifting`), emits a program again.
"""
