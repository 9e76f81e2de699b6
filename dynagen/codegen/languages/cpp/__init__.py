"""C++17 code: a header of function templates for any number type, and a second header for Eigen."""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.codegen.languages.cpp.header import (
    choose_kernel_path,
    make_spelling,
    name_symbol,
    print_build,
    print_kernels,
    print_loops,
)
from dynagen.codegen.naming import name_constant_in_module
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.shared_library import GNU_OPTIONS, LIBRARY, SOURCES, SharedLibrary

CPP = Language(
    name="cpp",
    aliases=("c++", "cxx"),
    layout="row-major",
    first_index=0,
    symbol=name_symbol,
    constant=name_constant_in_module,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    print_build=print_build,
    print_loops=print_loops,
    toolchain=SharedLibrary(
        Tool("C++ compiler", "CXX", ("c++", "g++", "clang++"), "g++"),
        command=("-std=c++17", *GNU_OPTIONS, "-Iinclude", SOURCES, "-o", LIBRARY, "-lm"),
        suffix=".cpp",
    ),
    headers=(".hpp",),
)
