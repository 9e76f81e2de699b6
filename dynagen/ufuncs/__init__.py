"""Generated kernels as functions of numpy arrays: broadcasting, `out`, keywords, pickling. What Python users call.

A C kernel becomes a NumPy generalized ufunc in a compiled module; kernels of other languages are wrapped in Python.
"""
