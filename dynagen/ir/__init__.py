"""The intermediate form: straight-line arithmetic in which every value is assigned once.

A program contains constants, elements of the arguments, + - * /, negation, square root, sine and
cosine. For friction there are also absolute value, sign, minimum and maximum, tanh and exp, and
lookups in tables of constants (`ir.tables`). A program has no branches, loops, calls or arrays, so
that optimisation passes are short.
"""
