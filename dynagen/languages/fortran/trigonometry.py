"""Sines and cosines of several angles in one step: the subroutines of the module that take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynagen.ir.program import PREPARE, Operation
from dynagen.languages.angles import AT_ONCE
from dynagen.languages.fortran.lanes import LANES, SINCOS
from dynagen.languages.fortran.printer import FOUR, continued
from dynagen.languages.package import VECTOR, Package
from dynagen.languages.trigonometry import constants
from dynagen.numbers.real import DOUBLE


def steps(package: Package) -> Iterator[dict[str, Any]]:
    """What the template places of each subroutine that is called: for four angles of one state, and for those of all lanes."""
    if package.trig != VECTOR:
        return
    taking = [
        kernel.function
        for kernel in package.kernels
        if any(
            each.operation in (Operation.SINE, Operation.COSINE)
            for each in kernel.program.instructions
        )
    ]
    wide = "wp" if package.real is DOUBLE else "dp"
    values = constants(package.real, f"_{wide}")
    polynomials = {
        name: list(continued(f"      {name[0]} = {values[name]}")) for name in ("sine", "cosine")
    }
    if taking:
        yield {
            **values,
            **polynomials,
            "wide": wide,
            "name": FOUR,
            "angles": AT_ONCE,
            "of": "four angles",
            "kind": "integer",
        }
    if package.batch and any(function != PREPARE for function in taking):
        lanes = {"name": SINCOS, "angles": LANES, "of": "all lanes", "kind": "integer(c_size_t)"}
        yield {**values, **polynomials, "wide": wide, **lanes}
