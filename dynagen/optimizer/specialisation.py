"""Formulas specialised for zeros and ones among their arguments.

A formula is one step of a recursion, with vectors and matrices as arguments. Most constants of a
robot are zeros and ones, so most operations of a formula disappear. Because the comparison of
formulations records thousands of programs, each formula is simplified only once for each pattern of
zeros and ones among its arguments.

    x[0]*x[3] + x[1]*x[4] + x[2]*x[5]  with x[0] = 1, x[1] = 0  ->  x[3] + x[2]*x[5]
"""

from __future__ import annotations

from functools import cache

from dynagen.dynamics.recording import CountingRecorder, Formula
from dynagen.dynamics.traces import Shape, Trace, make_trace
from dynagen.ir.program import Argument, Output
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.passes.manager import SimplifyingBuilder

_ARGUMENT = "x"

Pattern = tuple[int | None, ...]
"""Type of a pattern of the zeros and ones among a formula's arguments.

For each element of the arguments, it contains the constant 0 or 1, or None for any other value.
"""


class SpecialisingRecorder(CountingRecorder):
    """Recorder that simplifies each formula for the zeros and ones among its arguments.

    The recorded programs are only used to count operations.
    """

    def find_trace(self, formula: Formula, shapes: tuple[Shape, ...], values: list[int]) -> Trace:
        """Return the operations of a formula, specialised for zeros and ones among its arguments.

        Args:
            formula: the formula.
            shapes: shape of each argument.
            values: positions in the builder of all elements of the arguments, in order.
        """
        pattern = self.builder.find_zeros_and_ones(values)
        if pattern is None:
            return formula.traced(shapes)
        return _specialise(formula, shapes, pattern)


@cache
def _specialise(formula: Formula, shapes: tuple[Shape, ...], pattern: Pattern) -> Trace:
    """Return the operations of a formula, simplified for a pattern of zeros and ones."""
    trace = formula.traced(shapes)
    elements = Argument(_ARGUMENT, (len(pattern),), (), "")
    builder = SimplifyingBuilder((elements,))
    values = [
        builder.add_element(_ARGUMENT, index) if number is None else builder.add_constant(number)
        for index, number in enumerate(pattern)
    ]
    values += map(builder.add_constant, trace.constants)
    builder.emit_all(trace.operations, values)
    results = tuple(values[result] for result in trace.results)
    result = Argument("result", (len(results),), (), "")
    return make_trace(remove_dead_code(builder.finish([Output(result, results)])), trace.shape)
