"""Calls: how a kernel that is made of calls is printed, as far as that is the same in all languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynagen.ir.composition import Composition, Sum
from dynagen.ir.program import Program


@dataclass(frozen=True)
class Calls:
    """The calls that a kernel is made of.

    Attributes:
        composition: what is made of their results.
        program: what is called; its first output is what it is called for.
    """

    composition: Composition
    program: Program

    @property
    def vectors(self) -> list[str]:
        """The vectors between the calls, each once: sums but for the outputs, and what is called for."""
        *others, last = self.composition.stages
        return [
            name for stage in others for name in (stage.result, *(each.name for each in stage.sums))
        ] + [last.result]


def sum_text(
    each: Sum, element: Callable[[str], str], scalar: Callable[[str], str], two: str
) -> str:
    """The value of a sum, as all languages write it: q + sixth*(qd + 2*(v2 + v3) + v4).

    Args:
        each: the sum.
        element: how a vector is written.
        scalar: how a factor is.
        two: the number 2.
    """
    first, *others = map(element, each.once)
    if each.twice:
        others.insert(0, f"{two}*({' + '.join(map(element, each.twice))})")
    terms = " + ".join([first, *others])
    return f"{element(each.base)} + {scalar(each.factor)}*{f'({terms})' if others else terms}"
