"""The intermediate form: straight-line arithmetic in which every value is assigned once.

It contains constants, elements of the arguments, + - * /, negation, square root, sine and cosine.
For friction it adds absolute value, sign, minimum and maximum, tanh and exp. It has no branches,
loops, arrays as values or calls; that keeps the passes short.
"""
