"""Rust code: a `no_std` crate without dependencies and without unsafe code."""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.codegen.languages.rust.crate import (
    MANIFEST,
    choose_kernel_path,
    collect_readme_values,
    find_batch_path,
    make_spelling,
    name_symbol,
    print_kernels,
)
from dynagen.codegen.languages.rust.loops import LIBRARY, LOOPS, print_loops
from dynagen.codegen.naming import name_constant_in_module
from dynagen.codegen.package import VECTOR
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.shared_library import CARGO_OPTIONS, SharedLibrary

RUST = Language(
    name="rust",
    aliases=("rs",),
    layout="row-major",
    first_index=0,
    symbol=name_symbol,
    constant=name_constant_in_module,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    print_loops=print_loops,
    batch_path=find_batch_path,
    readme_values=collect_readme_values,
    toolchain=SharedLibrary(
        Tool("Rust package manager", "CARGO", ("cargo",), "cargo"),
        command=("build", *CARGO_OPTIONS, "--manifest-path", f"{LOOPS}/{MANIFEST}"),
        suffix=".rs",
        library=LIBRARY,
    ),
    trig=(VECTOR,),
    headers=(".rs", MANIFEST),
)
