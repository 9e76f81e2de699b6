"""The program form: straight-line arithmetic in which every value is assigned once.

Supported: constants, elements of the arguments, + - * /, negation, square root, sine and cosine.
Not supported, and that is why the passes are short: branches, loops, arrays as values, calls.
"""
