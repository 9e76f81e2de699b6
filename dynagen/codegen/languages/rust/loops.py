"""A library in Rust that runs kernels of a crate on many states, for calls from Python.

The library is a separate crate, because functions that C calls require unsafe code, which the
delivered crate forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.codegen.languages.rust.writer import TYPES
from dynagen.codegen.package import SourceFile
from dynagen.codegen.routine import PART, STRIDE, Routine, StateLoop
from dynagen.codegen.templating import fill
from dynagen.ir.program import PARAMS, Signature
from dynagen.numbers.real import Real

LOOPS = "loops"
"""Folder and name of the Rust crate with loops over states."""
LIBRARY = f"{LOOPS}/target/debug/lib{LOOPS}.so"


@dataclass(frozen=True)
class _Loop:
    """Rust texts of a function that calls a kernel in a loop over states, for the jinja2 template.

    `kernel` is the path in Rust of the kernel. `signature` has the kernel's arguments.
    """

    symbol: str
    kernel: str
    signature: Signature
    is_batch: bool


def print_loops(routines: Sequence[Routine], real: Real) -> tuple[SourceFile, ...]:
    """Return a Rust crate with loops over states that call kernels and can be called from C.

    Args:
        routines: kernels, which are only declared, and the loops that call them.
        real: number type of the kernels.
    """
    loops = [
        _Loop(routine.symbol, routine.loop.kernel, routine.signature, routine.loop.side_by_side)
        for routine in routines
        if isinstance(routine.loop, StateLoop)
    ]
    crate = loops[0].kernel.partition("::")[0]
    text = fill(
        "rust/loops.rs.j2",
        real=TYPES[real],
        loops=loops,
        shared=PARAMS,
        part=PART,
        stride=STRIDE,
    )
    manifest = fill("rust/loops.toml.j2", crate=crate, loops=LOOPS)
    return SourceFile(f"{LOOPS}/Cargo.toml", manifest), SourceFile(f"{LOOPS}/src/lib.rs", text)
