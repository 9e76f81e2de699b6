"""Calls -> Fortran: a subroutine that calls another one of its module, with sums of whole arrays between the calls."""

from __future__ import annotations

from collections.abc import Iterator

from dynagen.ir.composition import Stage
from dynagen.ir.program import STATUS
from dynagen.languages.calls import Calls, sum_text
from dynagen.languages.fortran.printer import FortranPrinter, continued, declared
from dynagen.languages.printing import Paragraph
from dynagen.numbers.exact import Exact

_INDENT = "    "


class CallPrinter(FortranPrinter):
    """Prints a routine that is made of calls; it is given without a program."""

    def calls(self, calls: Calls, symbol: str) -> tuple[list[Paragraph], list[str]]:
        """The statements, and the declarations of the local values.

        Args:
            calls: what the routine is made of.
            symbol: of the subroutine that it calls.
        """
        size, composition = calls.program.outputs[0].argument.size, calls.composition
        factors = [factor.name for factor in composition.factors]
        self.names.update((name, self.table.claim(name)) for name in (*factors, *calls.vectors))
        declarations = [
            *declared("real(wp) ::", [self.names[name] for name in factors]),
            *declared("real(wp) ::", [f"{self.names[name]}({size})" for name in calls.vectors]),
        ]
        failed = self.table.claim("failed") if self.signature.can_fail else ""
        declarations += [f"{_INDENT}integer(c_int) :: {failed}"] if failed else []
        values = (
            f"{self.literal(factor.number)}*{self.names[factor.scalar]}"
            for factor in composition.factors
        )
        scaled = [
            line
            for name, value in zip(factors, values, strict=True)
            for line in self.assign(self.names[name], value)
        ]
        paragraphs = [Paragraph("", tuple(scaled))]
        for number, stage in enumerate(composition.stages, start=1):
            lines = [
                *self._call(calls, stage, symbol, failed if number > 1 else ""),
                *self._sums(stage),
            ]
            paragraphs.append(
                Paragraph(f"Stage {number} of {len(composition.stages)}", tuple(lines))
            )
        return paragraphs, declarations

    def _call(self, calls: Calls, stage: Stage, symbol: str, failed: str) -> Iterator[str]:
        taken = [
            self.names[stage.given.get(argument.name, argument.name)]
            for argument in calls.program.inputs
        ]
        status = [failed or self.names[STATUS]] if self.signature.can_fail else []
        yield from continued(
            f"{_INDENT}call {symbol}({', '.join([*taken, self.names[stage.result], *status])})"
        )
        if failed:
            yield from self.assign(self.names[STATUS], f"max({self.names[STATUS]}, {failed})")

    def _sums(self, stage: Stage) -> Iterator[str]:
        for each in stage.sums:
            value = sum_text(
                each, self.names.__getitem__, self.names.__getitem__, self.literal(Exact(2))
            )
            yield from self.assign(self.names[each.name], value)
