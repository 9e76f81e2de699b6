"""The program form: straight-line arithmetic in which every value is assigned once.

Supported: constants, elements of the arguments, + - * /, negation, square root, sine and cosine, and what friction needs:
absolute value, sign, minimum and maximum, tanh and exp.
Not supported, and that is why the passes are short: branches, loops, arrays as values, calls.
"""
