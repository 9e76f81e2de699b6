"""Explanation of the constants in kernels, by formulas with named numbers of the description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from rich.console import Console

from dynagen.numbers.traced import Part, TracedNumber, format_formula, list_parts
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.provenance import Provenance, find_formulas
from dynagen.report.console import make_table

_NAMES = "Numbers of the description; names consist of the key and the link, counted from 1"


@dataclass(frozen=True)
class Explanation:
    """Formulas of the constants of all kernels.

    Formulas are arithmetic expressions with sin, cos, atan2 and sqrt. Constant factors of the
    equations of motion, such as 2 and 1/2, are omitted. In about one robot of forty, a constant has
    no formula, because a pass has combined numbers that are equal by chance.

    Attributes:
        names: mapping from the names of the description's numbers to their values.
        parts: mapping from the names of long subexpressions to their formulas; a formula contains
            only names of earlier parts.
        kernels: for the name of each kernel, a mapping from the magnitude of each constant, as text
            in double precision, to its formula.
    """

    names: dict[str, float]
    parts: dict[str, str]
    kernels: dict[str, dict[str, str]]


def explain(generation: Generation) -> Explanation:
    """Return formulas for all constants of a run, by repeating the run's passes and searches."""
    provenance, effort = Provenance(generation.description), generation.request.effort
    numbers = {
        function.name: list(provenance.repeat_passes(function, effort))
        for function in generation.functions
    }
    explained: dict[str, list[TracedNumber]] = {}
    for kernel in generation.package.kernels:
        of_kernel = numbers.get(kernel.function) or chain.from_iterable(numbers.values())
        formulas = find_formulas(kernel.program, of_kernel)
        explained[kernel.function] = sorted(formulas.values(), key=float)
    parts: dict[Part, None] = {}
    for number in chain.from_iterable(explained.values()):
        list_parts(number.terms, parts)
    names = {part: f"part{number}" for number, part in enumerate(parts, 1)}
    return Explanation(
        {name: float(value) for name, value in provenance.symbols.items()},
        {name: part.to_text(names) for part, name in names.items()},
        {
            name: {str(float(number)): format_formula(number.terms, names) for number in numbers}
            for name, numbers in explained.items()
        },
    )


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print the formulas of each kernel's constants, and the values of the named numbers."""
    for name, formulas in explanation.kernels.items():
        if formulas:
            _print(console, f"Constants of {name}", "constant", formulas)
    if explanation.parts:
        _print(console, "Parts of these formulas", "part", explanation.parts)
    _print(
        console, _NAMES, "name", {name: repr(value) for name, value in explanation.names.items()}
    )


def _print(console: Console, title: str, key: str, formulas: Mapping[str, str]) -> None:
    table = make_table(console, "", key, "is")
    table.columns[-1].justify = "left"
    for row in formulas.items():
        table.add_row(*row)
    console.print(f"[bold]{title}[/]")
    console.print(table)
