"""CUDA: functions for device and host, and kernels for arrays of states, in one header.

A C++ compiler without CUDA can also compile the header, so that dynagen verifies CUDA code on the
CPU, without a GPU.
"""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.codegen.languages.cuda.header import (
    choose_kernel_path,
    collect_readme_values,
    find_batch_path,
    make_spelling,
    print_kernels,
    print_loops,
    print_strided,
)
from dynagen.codegen.naming import name_prefixed_constant, prefix_symbol
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.shared_library import GNU_OPTIONS, LIBRARY, SOURCES, SharedLibrary

CUDA = Language(
    name="cuda",
    aliases=("cuh", "hip"),
    layout="row-major",
    first_index=0,
    symbol=prefix_symbol,
    constant=name_prefixed_constant,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    print_loops=print_loops,
    readme_values=collect_readme_values,
    batch_path=find_batch_path,
    toolchain=SharedLibrary(
        Tool("C++ compiler", "CXX", ("c++", "g++", "clang++"), "g++"),
        command=("-std=c++14", *GNU_OPTIONS, "-Iinclude", SOURCES, "-o", LIBRARY, "-lm"),
        suffix=".cpp",
    ),
    print_strided=print_strided,
    always=("batch",),
    trig=(),
    headers=(".cuh",),
)
