"""Optimisation: choose among formulations by counting what comes out.

Nothing in here knows how a program is built or counted: the pipeline hands both in as functions. What a choice means is in
`dynamics.formulation` and `robot.regrouping`; any choice is right, and is proved like any other.
"""
