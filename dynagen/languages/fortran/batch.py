"""Kernels over lanes as parts of the module, and the subroutine that takes their sines and cosines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.languages import documentation
from dynagen.languages.fortran.lanes import FortranLanePrinter, LaneRound
from dynagen.languages.fortran.printer import checked_name
from dynagen.languages.naming import prefixed_symbol
from dynagen.languages.package import VECTOR, Kernel, Package
from dynagen.languages.routine import over_lanes

STATES_OF_BLOCK = 16
"""States of a block: two vectors of AVX-512 in double, one in float."""


@dataclass(frozen=True)
class BatchSubroutine:
    """A kernel over lanes as the templates see it."""

    symbol: str
    block: str
    lane: str
    summary: str
    call: str
    opening: list[str]
    declarations: list[str]
    body: list[str]
    block_head: list[str]
    block_values: list[str]
    rounds: list[LaneRound]


def batch_subroutines(package: Package) -> Iterator[BatchSubroutine]:
    """The kernels over lanes, if there are any."""
    for kernel in package.batch_kernels:
        yield _batch_subroutine(package, kernel.in_one)


def _batch_subroutine(package: Package, kernel: Kernel) -> BatchSubroutine:
    routine = over_lanes(
        kernel.routine(prefixed_symbol(package.prefix, kernel.function)), package.threads
    )
    checked_name(routine.symbol)
    printer = FortranLanePrinter(
        routine,
        package.real,
        f"{package.prefix}_n",
        one_step=package.trig == VECTOR,
        longest=package.longest,
    )
    return BatchSubroutine(
        symbol=routine.symbol,
        block=printer.block,
        lane=printer.lane,
        summary=documentation.explained(package, kernel, "  ! "),
        call=printer.call(),
        opening=printer.opening(),
        declarations=printer.argument_declarations(),
        body=printer.body(),
        block_head=printer.block_head(),
        block_values=printer.block_values(),
        rounds=printer.block_rounds(),
    )
