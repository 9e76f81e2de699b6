"""C99 code that is also valid C++: a header, and one file per kernel or one file for all."""

from __future__ import annotations

from functools import partial

from dynagen.codegen.language import Language, UfuncModule
from dynagen.codegen.languages.c.array_library import TORCH, XLA, print_array_library
from dynagen.codegen.languages.c.cores import WAIT_FILE, find_cores_path
from dynagen.codegen.languages.c.extension import print_calls, print_extension
from dynagen.codegen.languages.c.kernels import (
    choose_kernel_path,
    print_kernels,
    print_loops,
)
from dynagen.codegen.languages.c.lanes import find_batch_path
from dynagen.codegen.naming import name_prefixed_constant, prefix_symbol
from dynagen.codegen.package import COMPACT, TRIG
from dynagen.on_demand import import_on_call
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.shared_library import (
    GNU_OPTIONS,
    LIBRARY,
    MICROSOFT_COMMAND,
    SOURCES,
    SharedLibrary,
)


def _shared_library(*options: str) -> SharedLibrary:
    """Return the toolchain that compiles a shared library with given compiler options."""
    return SharedLibrary(
        C_COMPILER,
        command=(*options, *GNU_OPTIONS, "-Iinclude", SOURCES, "-o", LIBRARY, "-lm"),
        suffix=".c",
        others={"cl": MICROSOFT_COMMAND},
    )


C = Language(
    name="c",
    aliases=("c99",),
    layout="row-major",
    first_index=0,
    symbol=prefix_symbol,
    constant=name_prefixed_constant,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=import_on_call("dynagen.codegen.languages.c.examples.make_spelling"),
    print_loops=print_loops,
    batch_path=find_batch_path,
    readme_values=import_on_call("dynagen.codegen.languages.c.examples.collect_readme_values"),
    print_build=import_on_call("dynagen.codegen.languages.c.examples.print_build"),
    toolchain=_shared_library("-std=c99"),
    cores_path=find_cores_path,
    threads=_shared_library("-std=c11", "-pthread", "-include", WAIT_FILE),
    ufunc_module=UfuncModule(print_extension, print_calls, C_COMPILER),
    print_ffi_library=partial(print_array_library, XLA),
    print_torch_library=partial(print_array_library, TORCH),
    trig=(*TRIG, COMPACT),
    headers=(".h",),
    one_file=False,
    freestanding=True,
    is_sized=True,
)
