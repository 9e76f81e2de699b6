"""The size of a kernel, and what is expected of a compiler: time, bytes of code, bytes of stack.

The figures are those of gcc 12 with -O2 on x86-64, fitted to what `benchmarks/compile_time.py` measures, and the same on every
machine: what is measured on one belongs in a report, not in a file (`--footprint`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dynagen.codegen.package import VECTOR, Kernel, Package
from dynagen.codegen.segments import Segmentation, divide, length_of, store_early
from dynagen.codegen.trigonometry import AT_ONCE, angles_of_steps
from dynagen.ir.program import Program
from dynagen.ir.statements import Listing, most_live, statements
from dynagen.numbers.real import DOUBLE, FLOAT, Real

COMPILER = "gcc 12 -O2 on x86-64"
"""What the expectations are of."""

_START = 0.02  # seconds for a file with next to nothing in it
# For an operation or a store, in functions of at most 5000 of them.
_SECONDS = 1.4e-4
_FIRST_BYTES = 60
_BYTES = 12.3  # instructions and constants
# The frame holds registers that are saved, and nine of ten live values: some stay in registers.
_FRAME = 40
_IN_FRAME = 0.9
# Each step of --trig vector is inlined: bytes of code if at most half of its angles are taken, or more; and of stack.
_STEP_BYTES = {DOUBLE: (1050, 1550), FLOAT: (800, 1150)}
_STEP_STACK = 180


@dataclass(frozen=True)
class Size:
    """The size of a kernel, and what to expect of a compiler.

    Attributes:
        statements: lines of code, but for those that are broken.
        length: operations and stores.
        live: the most values that are live at once.
        segments: functions that it is divided among; 1 if it is in one piece.
        code: bytes of instructions and constants.
        stack: bytes of its own frame and of those that it calls, but for the C library's.
        seconds: that it takes to compile.
    """

    statements: int
    length: int
    live: int
    segments: int
    code: int
    stack: int
    seconds: float


def kernel_size(package: Package, kernel: Kernel) -> Size:
    """The size of a kernel as a compiled language writes it."""
    return _size(kernel.printed, package.longest, package.real, package.trig)


@lru_cache(maxsize=64)  # README, manifest and report ask for each kernel
def _size(program: Program, longest: int, real: Real, trig: str) -> Size:
    listing = statements(program)
    segmentation = divide(listing, longest)
    if segmentation.is_whole:
        length, live = length_of(listing), most_live(store_early(listing, str))
    else:
        length, live = (
            sum(segment.length for segment in segmentation.segments),
            _live_in_segments(segmentation),
        )
    steps = angles_of_steps(listing) if trig == VECTOR else ()
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
        segments=len(segmentation.segments),
        code=10 * round(code / 10),
        stack=8 * round(stack / 8),
        seconds=round(_START + _SECONDS * length, 2),
    )


def _live_in_segments(segmentation: Segmentation) -> int:
    """Kept values, which are in memory all the time, and those of the segment that has most of its own."""
    of_segments = (most_live(Listing(segment.blocks, ())) for segment in segmentation.segments)
    return len(segmentation.kept) + max(of_segments)
