"""Routine -> Fortran in segments: internal subroutines of the kernel, which see its arguments and the values they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from dynagen.ir.segments import Segmentation, runs
from dynagen.ir.statements import Store
from dynagen.languages.fortran.printer import FortranPrinter, shaped
from dynagen.languages.printing import Paragraph, heading

_INDENT = "    "


@dataclass(frozen=True)
class FortranSegment:
    """An internal subroutine: what it does, its name, its local values and its statements."""

    title: str
    symbol: str
    declarations: list[str]
    paragraphs: list[Paragraph]


def internal_subroutines(
    printer: FortranPrinter, segmentation: Segmentation
) -> Iterator[FortranSegment]:
    """The internal subroutines, in order."""
    for number, segment in enumerate(segmentation.segments, 1):
        local = [name for name in segment.assigned if name not in segmentation.kept]
        results = tuple(line for run in runs(segment.stores) for line in _store(printer, run))
        paragraphs = [printer.paragraph(block) for block in segment.blocks]
        yield FortranSegment(
            heading(segmentation, number),
            _symbol(number),
            printer.value_declarations(local),
            [*paragraphs, *([Paragraph("Results", results)] if results else [])],
        )


def segment_calls(printer: FortranPrinter, segmentation: Segmentation) -> list[Paragraph]:
    """The statements of the kernel, which calls the segments."""
    lines = [
        f"{_INDENT}call {_symbol(number)}()" for number in range(1, len(segmentation.segments) + 1)
    ]
    return [Paragraph("", (*lines, *printer.statuses()))]


def _symbol(number: int) -> str:
    return f"segment_{number}"


def _store(printer: FortranPrinter, run: Sequence[Store]) -> Iterator[str]:
    """Store a result, or the same number in many places, row by row."""
    name, value = printer.names[run[0][0].argument], printer.expression(run[0][1])
    if len(run) == 1:
        yield from printer.assign(printer.element(run[0][0]), value)
        return
    subscripts = (printer.subscripts(place, 1) for place, _ in run)
    for row, places in groupby(subscripts, lambda each: each[:-1]):
        columns = [each[-1] for each in places]
        extent = columns[0] if len(columns) == 1 else f"{columns[0]}:{columns[-1]}"
        yield from printer.assign(shaped(name, [*row, extent]), value)
