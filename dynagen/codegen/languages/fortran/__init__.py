"""Fortran 2008 code in free form: one module whose subroutines can also be called from C."""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.codegen.languages.fortran.kernels import (
    choose_kernel_path,
    collect_readme_values,
    find_batch_path,
    make_spelling,
    name_constant,
    print_kernels,
)
from dynagen.codegen.languages.fortran.loops import print_loops
from dynagen.codegen.naming import prefix_symbol
from dynagen.codegen.package import TRIG
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.shared_library import GNU_OPTIONS, LIBRARY, SOURCES, SharedLibrary

FORTRAN = Language(
    name="fortran",
    aliases=("f90", "f2008"),
    layout="natural (column-major)",
    first_index=1,
    symbol=prefix_symbol,
    constant=name_constant,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    print_loops=print_loops,
    batch_path=find_batch_path,
    readme_values=collect_readme_values,
    toolchain=SharedLibrary(
        Tool("Fortran compiler", "FC", ("gfortran",), "gfortran"),
        command=("-std=f2008", *GNU_OPTIONS, SOURCES, "-o", LIBRARY),
        suffix=".f90",
        column_major=True,
    ),
    trig=TRIG,
    is_sized=True,
)
