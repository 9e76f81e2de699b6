"""Toolchains, which turn source code into callable kernels.

A kernel is a generated function. Kernels are called in shared libraries through cffi, in Python
modules, or in JavaScript modules in a node process. The modules of this package do not depend on
how the source code was generated. The description of each programming language selects one of the
toolchains. cffi is used in ABI mode, which requires no Python headers.
"""
