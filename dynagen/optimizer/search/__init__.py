"""Refactoring: an optimised program changed in places, over and over, for as long as a budget goes.

A program becomes polynomials (`expansion`), of which ever cheaper forms are searched (`neighbourhood_search`); or a network of
functions (`network`), of which each is computed from others in whatever way costs no more (`drifting`), and in the end a few
together, by the shortest programs for them (`windows`, `exact_synthesis`). `step` takes the best of all, by the passes'
own count. Any form means the same, and is proved like anything else.
"""
