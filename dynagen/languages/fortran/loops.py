"""Loops over states, in Fortran: compiled beside kernels, so that many states are one call."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.languages.fortran.printer import KINDS, FortranPrinter
from dynagen.languages.package import SourceFile
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill
from dynagen.real import Real


def print_loops(routines: Sequence[Routine], real: Real) -> SourceFile:
    """Declare the kernels, and define the loops over them."""
    printers = [FortranPrinter(routine, real) for routine in routines]
    kernels = [printer.declaration() for printer in printers if printer.routine.loop is None]
    loops = [
        printer.loop(printer.routine.loop, f"loop_{number}")
        for number, printer in enumerate(printers)
        if printer.routine.loop is not None
    ]
    return SourceFile("loops.f90", fill("fortran/loops.f90.j2", kind=KINDS[real], kernels=kernels, loops=loops))
