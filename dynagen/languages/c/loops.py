"""Loops over states, in C: compiled beside kernels, so that many states are one call."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.languages.c.printer import CPrinter
from dynagen.languages.c.vocabulary import REAL_TYPES
from dynagen.languages.package import SourceFile
from dynagen.languages.routine import Routine
from dynagen.real import Real


def print_loops(routines: Sequence[Routine], real: Real) -> SourceFile:
    """Declare the kernels, and define the loops over them."""
    printers = [CPrinter(routine, real, REAL_TYPES[real].name, macro="") for routine in routines]
    functions = (
        printer.loop(printer.routine.loop) if printer.routine.loop else f"{printer.prototype()};" for printer in printers
    )
    return SourceFile("loops.c", "\n\n".join(["#include <stddef.h>", *functions]) + "\n")
