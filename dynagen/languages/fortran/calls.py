"""Calls -> Fortran: a subroutine that calls another one of its module, with sums of whole arrays between the calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynagen.ir.program import STATUS
from dynagen.languages.calls import CallPrinter, Calls
from dynagen.languages.fortran.printer import FortranPrinter, continued, declared

_INDENT = "    "


class FortranCallPrinter(CallPrinter, FortranPrinter):
    """Prints a subroutine that is made of calls."""

    _failed = ""  # name of the status of one call

    def before(self, calls: Calls) -> Iterator[str]:
        """The factors are computed."""
        self._failed = self.table.claim("failed") if self.signature.can_fail else ""
        return super().before(calls)

    def local_declarations(self, calls: Calls) -> list[str]:
        """The declarations of the local values, once the statements have been printed."""
        return [
            *declared("real(wp) ::", [self.names[name] for name in calls.factors]),
            *declared(
                "real(wp) ::", [f"{self.names[name]}({calls.size})" for name in calls.vectors]
            ),
            *([f"{_INDENT}integer(c_int) :: {self._failed}"] if self._failed else []),
        ]

    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """A call, and the largest status so far."""
        status = [self.names[STATUS] if first else self._failed] if self.signature.can_fail else []
        yield from continued(f"{_INDENT}call {symbol}({', '.join([*taken, result, *status])})")
        if status and not first:
            yield from self.assign(self.names[STATUS], f"max({self.names[STATUS]}, {self._failed})")
