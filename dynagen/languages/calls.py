"""Calls: how a kernel that is made of calls is printed, as far as that is the same in all languages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynagen.ir.composition import Composition, Stage, Sum
from dynagen.ir.program import Program
from dynagen.languages.printing import Paragraph, Printer
from dynagen.numbers.exact import Exact


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
    def size(self) -> int:
        """Number of elements of each vector between the calls."""
        return self.program.outputs[0].argument.size

    @property
    def factors(self) -> list[str]:
        """The scalars that are computed before the calls."""
        return [factor.name for factor in self.composition.factors]

    @property
    def vectors(self) -> list[str]:
        """The vectors between the calls, each once: the results of calls, and sums except the outputs."""
        *others, last = self.composition.stages
        return [
            name for stage in others for name in (stage.result, *(each.name for each in stage.sums))
        ] + [last.result]


class CallPrinter(Printer):
    """Prints a routine that is made of calls, and that has no program; a base class beside the printer of a language."""

    def calls(self, calls: Calls, symbol: str) -> list[Paragraph]:
        """Print the statements.

        Args:
            calls: what the routine is made of.
            symbol: of the function that it calls.
        """
        self.names.update(
            (name, self.table.claim(name)) for name in (*calls.factors, *calls.vectors)
        )
        paragraphs = [Paragraph("", tuple(self.before(calls)))]
        stages = calls.composition.stages
        for number, stage in enumerate(stages, start=1):
            taken = [
                self.names[stage.given.get(argument.name, argument.name)]
                for argument in calls.program.inputs
            ]
            lines = (
                *self.call(symbol, taken, self.names[stage.result], number == 1),
                *self.sums(stage, calls.size),
            )
            paragraphs.append(Paragraph(f"Stage {number} of {len(stages)}", lines))
        return paragraphs

    def before(self, calls: Calls) -> Iterator[str]:
        """Lines before the first call: the factors are computed."""
        for factor in calls.composition.factors:
            yield from self.assign(
                self.names[factor.name],
                f"{self.literal(factor.number)}*{self.scalar(factor.scalar)}",
            )

    @abstractmethod
    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """Lines of a call; all except the first leave the status nonzero if it is."""

    def sums(self, stage: Stage, size: int) -> Iterator[str]:
        """Lines that compute the sums after a call, in a language that adds whole vectors."""
        for each in stage.sums:
            yield from self.assign(self.names[each.name], self.sum_text(each))

    def scalar(self, name: str) -> str:
        """A factor, or an input that is one number."""
        return self.names[name]

    def vector(self, name: str) -> str:
        """A vector, or the element of it that is computed."""
        return self.names[name]

    def sum_text(self, each: Sum) -> str:
        """The value of a sum, as all languages write it: q + sixth*(qd + 2*(v2 + v3) + v4)."""
        first, *others = map(self.vector, each.once)
        if each.twice:
            others.insert(
                0, f"{self.literal(Exact(2))}*({' + '.join(map(self.vector, each.twice))})"
            )
        terms = " + ".join([first, *others])
        return f"{self.vector(each.base)} + {self.scalar(each.factor)}*{f'({terms})' if others else terms}"
