"""Source text -> callable kernels: shared libraries through cffi, Python modules, and JavaScript modules in a process of node.

Nothing in here knows how the text came about, nor which languages there are: a language says which of these ways is its own,
and with what compiler. cffi is used in ABI mode, which needs no Python headers.
"""
