"""Optimisation: choose the candidate whose program costs least, by counting operations.

What can be chosen is in `dynamics.candidate`, `model.regrouping` and `model.sliding`; every choice gives a correct program, which
is proved like any other. `compilation` goes from a function to its program; `design_space` makes candidates, `estimation` counts
them roughly, `candidate_search` looks through all of them, and `refactoring` then factors the best programs anew.
"""
