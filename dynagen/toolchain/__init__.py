"""Toolchains: source text to callable kernels.

There are shared libraries through cffi, Python modules, and JavaScript modules in a node process.
No module of this package knows how the text was generated, or which languages exist: each language
names its toolchain and its compiler. cffi is used in ABI mode, which needs no Python headers.
"""
