"""Equations of a robot: `dynagen equations ROBOT`.

`recursion` derives the recursion of a function for one robot, `closed_form` derives M, C and g of
robots with few joints, and `notation` prints both.
"""
