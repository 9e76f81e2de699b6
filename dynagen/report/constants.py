"""Constants explained: a Generation -> the formula of every number in its kernels, in numbers of the description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from rich.console import Console

from dynagen.numbers.traced import Part, Traced, formula_text, parts_in
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.provenance import Provenance, find_formulas
from dynagen.report.console import new_table

_NAMES = "Numbers of the description, by their names or by their keys and links, which are counted from 1"


@dataclass(frozen=True)
class Explanation:
    """The constants of kernels in terms of the description. Formulas are arithmetic with sin, cos, atan2 and sqrt.

    Attributes:
        names: values of the names of the description's numbers, by name.
        parts: formulas of what is too long to be written where it is used, by name; each uses those above it.
        kernels: for every kernel its constants' magnitudes, as written in double, and their formulas. Numbers of the equations
            themselves, as 2 and 1/2, are not among them; nor is, of a robot in forty, a number that passes have made from
            numbers which are equal by chance.
    """

    names: dict[str, float]
    parts: dict[str, str]
    kernels: dict[str, dict[str, str]]


def explain(generation: Generation) -> Explanation:
    """Explain all constants; takes as long as the passes and the search that made the kernels."""
    provenance, effort = Provenance(generation.description), generation.request.effort
    numbers = {
        function.name: list(provenance.repeat_passes(function, effort))
        for function in generation.functions
    }
    explained: dict[str, list[Traced]] = {}
    for kernel in generation.package.kernels:
        of_kernel = numbers.get(kernel.function) or chain.from_iterable(numbers.values())
        formulas = find_formulas(kernel.program, of_kernel)
        explained[kernel.function] = sorted(formulas.values(), key=float)
    parts: dict[Part, None] = {}
    for each in (number for formulas in explained.values() for number in formulas):
        parts_in(each.terms, parts)
    names = {part: f"part{number}" for number, part in enumerate(parts, 1)}
    return Explanation(
        {name: float(value) for name, value in provenance.symbols.items()},
        {name: part.text(names) for part, name in names.items()},
        {
            name: {str(float(number)): formula_text(number.terms, names) for number in numbers}
            for name, numbers in explained.items()
        },
    )


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print what the constants of each kernel are made of, and the values of names."""
    for name, formulas in explanation.kernels.items():
        if formulas:
            _print(console, f"Constants of {name}", "constant", formulas)
    if explanation.parts:
        _print(console, "Parts of these formulas", "part", explanation.parts)
    _print(
        console, _NAMES, "name", {name: repr(value) for name, value in explanation.names.items()}
    )


def _print(console: Console, title: str, key: str, formulas: Mapping[str, str]) -> None:
    table = new_table(console, "", key, "is")
    table.columns[-1].justify = "left"
    for each in formulas.items():
        table.add_row(*each)
    console.print(f"[bold]{title}[/]")
    console.print(table)
