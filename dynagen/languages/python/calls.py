"""Calls -> Python: a function that calls another one of its module, with sums of whole arrays between the calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynagen.ir.program import STATUS
from dynagen.languages.calls import CallPrinter, Calls
from dynagen.languages.python.printer import PythonPrinter

_INDENT = "    "


class PythonCallPrinter(CallPrinter, PythonPrinter):
    """Prints a function that is made of calls."""

    def before(self, calls: Calls) -> Iterator[str]:
        """Make arrays of the inputs that sums read, those of one number with the axis that vectors have; then the factors."""
        read = {
            name
            for stage in calls.composition.stages
            for each in stage.sums
            for name in (each.base, *each.once)
        }
        read.update(factor.scalar for factor in calls.composition.factors)
        for argument in self.signature.inputs:
            if argument.name in read:
                name, axis = self.names[argument.name], "" if argument.shape else "[..., None]"
                yield f"{_INDENT}{name} = np.asarray({name}, dtype=REAL){axis}"
        yield from super().before(calls)

    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """A call, and the largest status so far."""
        if not self.signature.can_fail:
            yield f"{_INDENT}{result} = {symbol}({', '.join(taken)})"
            return
        status = self.names[STATUS]
        yield f"{_INDENT}{result}, {status if first else f'{status}_now'} = {symbol}({', '.join(taken)})"
        if not first:
            yield f"{_INDENT}{status} = np.maximum({status}, {status}_now)"
