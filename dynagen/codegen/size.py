"""Size of a kernel, and estimates of its compile time, code bytes and stack bytes.

The estimates are for gcc 12 with -O2 on x86-64 and were fitted to measurements by
`benchmarks/compile_time.py`. The estimates are the same on every machine, so that delivered files
do not depend on the machine. Measured values are in the report (`--footprint`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dynagen.codegen.package import VECTOR, Kernel, Package
from dynagen.codegen.segments import Segmentation, divide, measure_length, store_early
from dynagen.codegen.trigonometry import AT_ONCE, count_angles
from dynagen.ir.program import Program
from dynagen.ir.statements import Listing, count_most_live, write_statements
from dynagen.numbers.real import DOUBLE, FLOAT, Real

COMPILER = "gcc 12 -O2 on x86-64"
"""Compiler, options and processor for which the estimates hold."""

_START = 0.02  # seconds for an almost empty file
# Seconds for an operation or a store, in functions of at most 5000 of them.
_SECONDS = 1.4e-4
_FIRST_BYTES = 60
_BYTES = 12.3  # instructions and constants
# The frame holds saved registers and nine of ten live values; the others stay in registers.
_FRAME = 40
_IN_FRAME = 0.9
# Every step of --trig vector is inlined. Bytes of code for steps with at most half of AT_ONCE
# angles, and for others; then bytes of stack.
_STEP_BYTES = {DOUBLE: (1050, 1550), FLOAT: (800, 1150)}
_STEP_STACK = 180


@dataclass(frozen=True)
class Size:
    """Size of a kernel, and estimates for its compilation.

    Attributes:
        statements: number of statements; a statement that is broken into several lines counts once.
        length: number of operations plus number of stores of results.
        live: largest number of values that are live at once.
        segments: number of functions that the kernel is divided into; 1 if it is one function.
        code: bytes of instructions and constants.
        stack: bytes of the stack frames of the kernel and of the functions that it calls, except
            the C library.
        seconds: compile time in seconds.
    """

    statements: int
    length: int
    live: int
    segments: int
    code: int
    stack: int
    seconds: float


def measure_kernel_size(package: Package, kernel: Kernel) -> Size:
    """Return a kernel's size, with estimates of compile time, code and stack.

    The estimates hold for gcc 12 with -O2 on x86-64.
    """
    return _size(kernel.printed, package.longest, package.real, package.trig)


@lru_cache(maxsize=64)  # README, manifest and report need the size of each kernel
def _size(program: Program, longest: int, real: Real, trig: str) -> Size:
    """Return the size of a kernel, with estimates for its compilation.

    Kernels with more than `longest` operations and stores are divided.
    """
    listing = write_statements(program)
    length, segments = measure_length(listing), 1
    if length <= longest:
        live = count_most_live(store_early(listing, str))
    else:
        segmentation = divide(listing, longest)
        length = sum(segment.length for segment in segmentation.segments)
        live, segments = _live_in_segments(segmentation), len(segmentation.segments)
    steps = count_angles(listing) if trig == VECTOR else ()
    # Code grows linearly with operations; every inlined step adds a constant.
    code = (
        _FIRST_BYTES
        + _BYTES * length
        + sum(_STEP_BYTES[real][angles > AT_ONCE // 2] for angles in steps)
    )
    stack = _FRAME + _IN_FRAME * live * real.dtype().itemsize + _STEP_STACK * len(steps)
    return Size(
        statements=sum(len(block.statements) for block in listing.blocks),
        length=length,
        live=live,
        segments=segments,
        code=10 * round(code / 10),
        stack=8 * round(stack / 8),
        seconds=round(_START + _SECONDS * length, 2),
    )


def _live_in_segments(segmentation: Segmentation) -> int:
    """Return the largest number of live values in a kernel that consists of segments.

    It is the sum of two numbers: the number of values that segments share, and the largest number
    of values that are live at once in one segment.
    """
    of_segments = (
        count_most_live(Listing(segment.blocks, ())) for segment in segmentation.segments
    )
    return len(segmentation.kept) + max(of_segments)
