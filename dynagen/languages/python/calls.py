"""Calls -> Python: a function that calls another one of its module, with sums of whole arrays between the calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynagen.ir.composition import Stage
from dynagen.ir.program import STATUS, Argument
from dynagen.languages.calls import Calls, sum_text
from dynagen.languages.naming import NameTable
from dynagen.languages.printing import WIDTH, Paragraph, break_line, shortest_decimal
from dynagen.numbers.real import Real

_INDENT = " " * 4


def call_paragraphs(
    calls: Calls,
    names: dict[str, str],
    table: NameTable,
    arguments: Iterable[Argument],
    symbol: str,
    real: Real,
) -> list[Paragraph]:
    """The statements of a function that is made of calls.

    Args:
        calls: what it is made of.
        names: legal names of its arguments.
        table: all names that are taken.
        arguments: its inputs.
        symbol: of the function that it calls.
        real: type of its numbers.
    """
    factors = calls.composition.factors
    names = names | {
        name: table.claim(name) for name in (*(each.name for each in factors), *calls.vectors)
    }
    scalars = {factor.scalar for factor in factors}
    taken = {
        name
        for stage in calls.composition.stages
        for each in stage.sums
        for name in (each.base, *each.once)
    } | scalars
    read = [each for each in arguments if each.name in taken]
    lines = [
        f"{_INDENT}{names[each.name]} = np.asarray({names[each.name]}, dtype=REAL){_axis(each)}"
        for each in read
    ]
    lines += [
        f"{_INDENT}{names[each.name]} = {shortest_decimal(each.number, real)}*{names[each.scalar]}"
        for each in factors
    ]
    paragraphs = [Paragraph("", tuple(lines))]
    for number, stage in enumerate(calls.composition.stages, start=1):
        lines = [*_call(calls, stage, names, symbol, number == 1), *_sums(stage, names)]
        paragraphs.append(
            Paragraph(f"Stage {number} of {len(calls.composition.stages)}", tuple(lines))
        )
    return paragraphs


def _axis(argument: Argument) -> str:
    """A scalar gets the axis that vectors have."""
    return "" if argument.shape else "[..., None]"


def _call(
    calls: Calls, stage: Stage, names: dict[str, str], symbol: str, first: bool
) -> Iterator[str]:
    taken = ", ".join(
        names[stage.given.get(argument.name, argument.name)] for argument in calls.program.inputs
    )
    if not calls.program.can_fail:
        yield f"{_INDENT}{names[stage.result]} = {symbol}({taken})"
        return
    status = names[STATUS]
    failed = status if first else f"{status}_now"
    yield f"{_INDENT}{names[stage.result]}, {failed} = {symbol}({taken})"
    if not first:
        yield f"{_INDENT}{status} = np.maximum({status}, {failed})"


def _sums(stage: Stage, names: dict[str, str]) -> Iterator[str]:
    for each in stage.sums:
        value = sum_text(each, names.__getitem__, names.__getitem__, "2.0")
        line = f"{_INDENT}{names[each.name]} = {value}"
        yield from (
            [line]
            if len(line) <= WIDTH
            else break_line(f"{_INDENT}{names[each.name]} = ({value})", 2 * _INDENT)
        )
