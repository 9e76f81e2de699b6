"""Calls -> C: a kernel that calls a static function of its file, with loops that add vectors between the calls."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from dynagen.ir.composition import Factor, Stage
from dynagen.ir.program import STATUS
from dynagen.languages.c.printer import CPrinter
from dynagen.languages.calls import Calls, sum_text
from dynagen.languages.printing import WIDTH, Paragraph, break_line
from dynagen.numbers.exact import Exact

_INDENT = "    "


class CallPrinter(CPrinter):
    """Prints a routine that is made of calls; it is given without a program."""

    def calls(self, calls: Calls, symbol: str) -> list[Paragraph]:
        """The statements.

        Args:
            calls: what the routine is made of.
            symbol: of the function that it calls.
        """
        size, stages = calls.program.outputs[0].argument.size, calls.composition.stages
        self.names.update(
            (name, self.table.claim(name))
            for name in (*(f.name for f in calls.composition.factors), *calls.vectors)
        )
        vectors = ", ".join(f"{self.names[name]}[{size}]" for name in calls.vectors)
        first, *others = wrap(f"{self._type} {vectors};", WIDTH - 2 * len(_INDENT))
        declared = [_INDENT + first, *(2 * _INDENT + line for line in others)]
        paragraphs = [Paragraph("", (*map(self._factor, calls.composition.factors), *declared))]
        index = self.table.claim("i")
        for number, stage in enumerate(stages, start=1):
            lines = [
                *self._call(calls, stage, symbol, first=number == 1),
                f"{_INDENT}for (int {index} = 0; {index} < {size}; {index}++) {{",
            ]
            lines += [
                line
                for text in self._sums(stage, index)
                for line in break_line(2 * _INDENT + text, 3 * _INDENT)
            ]
            paragraphs.append(
                Paragraph(f"Stage {number} of {len(stages)}", (*lines, f"{_INDENT}}}"))
            )
        return paragraphs

    def _factor(self, factor: Factor) -> str:
        value = f"{self.literal(factor.number)}*{self.names[factor.scalar]}[0]"
        return f"{_INDENT}const {self._type} {self.names[factor.name]} = {value};"

    def _call(self, calls: Calls, stage: Stage, symbol: str, first: bool) -> Iterator[str]:
        taken = [
            self.names[stage.given.get(argument.name, argument.name)]
            for argument in calls.program.inputs
        ]
        call = f"{symbol}({', '.join([*taken, self.names[stage.result]])});"
        if self.signature.can_fail:
            call = f"{'int ' if first else ''}{self.names[STATUS]} {'=' if first else '|='} {call}"
        yield from self._statement(call)

    def _sums(self, stage: Stage, index: str) -> Iterator[str]:
        """Sums of elements; outputs, which may be the same arrays as inputs, are stored once all have been computed."""
        outputs = {output.name for output in self.signature.results}
        stores = []
        for each in stage.sums:
            value = sum_text(
                each,
                lambda name: f"{self.names[name]}[{index}]",
                self._scalar,
                self.literal(Exact(2)),
            )
            name = self.names[each.name]
            if each.name in outputs:
                stores.append((name, temporary := self.table.claim(f"{name}_i")))
                yield f"const {self._type} {temporary} = {value};"
            else:
                yield f"{name}[{index}] = {value};"
        yield from (f"{name}[{index}] = {temporary};" for name, temporary in stores)

    def _scalar(self, name: str) -> str:
        """A factor, or an input of one number."""
        return f"{self.names[name]}[0]" if name in self.arguments else self.names[name]
