"""Optimisation: choose among formulations by counting what comes out.

What a choice means is in `dynamics.formulation`, `robot.regrouping` and `robot.sliding`; any choice is right, and what comes
of it is proved like anything else. A search looks for better factors besides (`refactoring`).
"""
