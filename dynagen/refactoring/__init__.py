"""Refactoring: the sums of an optimised program written out in places and factored anew, for as long as a budget goes.

A program becomes polynomials (`expansion`), of which ever cheaper forms are searched (`neighbourhood_search`); `step` takes
the best of them, by the passes' own count. Any form means the same, and is proved like anything else.
"""
