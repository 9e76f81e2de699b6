"""Calls -> C: a kernel that calls a static function of its file, with loops that add vectors between the calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from dynagen.ir.composition import Stage
from dynagen.languages.c.printer import CPrinter
from dynagen.languages.calls import CallPrinter, Calls
from dynagen.languages.printing import WIDTH, break_line

_INDENT = "    "


class CCallPrinter(CallPrinter, CPrinter):
    """Prints a function that is made of calls."""

    _index = ""  # the variable of loops over elements

    def before(self, calls: Calls) -> Iterator[str]:
        """The factors are computed, and vectors declared."""
        yield from super().before(calls)
        self._index = self.table.claim("i")
        vectors = ", ".join(f"{self.names[name]}[{calls.size}]" for name in calls.vectors)
        first, *others = wrap(f"{self._type} {vectors};", WIDTH - 2 * len(_INDENT))
        yield from (_INDENT + first, *(2 * _INDENT + line for line in others))

    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """A call, and whether one has failed."""
        call = f"{symbol}({', '.join([*taken, result])});"
        if self.signature.can_fail:
            call = f"{'int ' if first else ''}{self.status_name} {'=' if first else '|='} {call}"
        yield from self._statement(call)

    def sums(self, stage: Stage, size: int) -> Iterator[str]:
        """A loop over elements; outputs, which may be the same arrays as inputs, are stored once all have been computed."""
        yield f"{_INDENT}for (int {self._index} = 0; {self._index} < {size}; {self._index}++) {{"
        outputs = {output.name for output in self.signature.results}
        stores = []
        for each in stage.sums:
            name, value = self.names[each.name], self.sum_text(each)
            if each.name in outputs:
                stores.append((name, temporary := self.table.claim(f"{name}_i")))
                yield from self._in_loop(f"const {self._type} {temporary} = {value};")
            else:
                yield from self._in_loop(f"{name}[{self._index}] = {value};")
        for name, temporary in stores:
            yield from self._in_loop(f"{name}[{self._index}] = {temporary};")
        yield f"{_INDENT}}}"

    def scalar(self, name: str) -> str:
        """A factor, or an input of one number."""
        return f"{self.names[name]}[0]" if name in self.arguments else self.names[name]

    def vector(self, name: str) -> str:
        """The element of a vector that is computed."""
        return f"{self.names[name]}[{self._index}]"

    def _in_loop(self, text: str) -> Iterator[str]:
        yield from break_line(2 * _INDENT + text, 3 * _INDENT)
