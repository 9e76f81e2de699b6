"""A function and a formulation -> the finished program, by all passes; in two steps if the function settles values on its way.

Mass matrix and bias forces, which are linear in inertial parameters, are finished first. What follows is written as it stands:
then loads that are added between the two steps change no bit of the result where they are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from time import perf_counter

from dynagen.dynamics.function import DynamicsFunction, Loads
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.count import count
from dynagen.ir.program import Argument, Operation, Program
from dynagen.ir.validation import validate
from dynagen.model.model import RobotModel
from dynagen.numbers.exact import Exact
from dynagen.optimize.candidates import FormulatedModel
from dynagen.passes.continuation import ContinuingBuilder
from dynagen.passes.dead_code import remove_dead_code
from dynagen.passes.manager import PassRecord
from dynagen.real import DOUBLE, Real

Finished = tuple[Program, tuple[PassRecord, ...]]
"""A program, and a record for every pass that made it."""
Passes = Callable[[Program], Finished]
"""All passes that a recorded program goes through."""


def finished(definition: DynamicsFunction, method: str, way: FormulatedModel, passes: Passes, real: Real = DOUBLE) -> Finished:
    """The optimised program of a function, and a record for every pass."""
    recorded = definition.build(way.model, way.formulation, method)
    if definition.loads_by(method) is not Loads.SETTLED:
        return passes(recorded)
    first, records = settled(definition, method, way, passes)
    start = perf_counter()
    program = completed(definition, method, way, way.model, first, first, real)
    apart = PassRecord("set apart", 0, count(recorded), records[0].before, 0.0)
    return program, (apart, *records, PassRecord("completion", 0, count(first), count(program), perf_counter() - start))


def settled(definition: DynamicsFunction, method: str, way: FormulatedModel, passes: Passes) -> Finished:
    """The optimised program of the values that a function settles, and a record for every pass."""
    return passes(definition.build_settled(way.model, way.formulation, method))


def completed(
    definition: DynamicsFunction,
    method: str,
    way: FormulatedModel,
    robot: RobotModel,
    first: Program,
    unloaded: Program,
    real: Real,
) -> Program:
    """Record what a function makes of the values that it settles.

    Args:
        definition: the function.
        method: by which the values have been recorded.
        way: the robot without loads, and the formulation likewise.
        robot: the robot with its loads.
        first: the finished program of these values.
        unloaded: the same without loads.
        real: what the target computes in.
    """
    recorder = _CompletingRecorder(
        definition.all_inputs(robot), [each.name for each in robot.parameters], first, unloaded, real
    )
    results = definition.record_into(recorder, way.model, way.formulation, method)
    return validate(remove_dead_code(recorder.finish(zip(definition.outputs(way.model), results, strict=True))))


class _CompletingRecorder(Recorder):
    """Goes on from settled values that are finished. What is recorded on the way to them is not needed again."""

    def __init__(
        self, inputs: Sequence[Argument], parameters: Sequence[str], first: Program, unloaded: Program, real: Real
    ) -> None:
        numbers = {
            value: number
            for value, place in zip(first.result_values(), unloaded.result_values(), strict=True)
            if isinstance(number := unloaded.instructions[place].payload, Exact)
        }
        super().__init__(ContinuingBuilder(first, inputs, real, numbers), parameters)
        self._first = iter(first.outputs)
        self._taken = {each.name for each in first.instructions}

    def settle(self, quantities: Sequence[Quantity], loaded: bool = True) -> tuple[Quantity, ...]:
        """The finished values."""
        values = iter(next(self._first).values)
        return tuple(Quantity(each.shape, tuple(islice(values, len(each.values)))) for each in quantities)

    def name(self, stem: str, quantity: Quantity) -> Quantity:
        """Name what is computed here and has no name, or what it is the opposite of."""
        if stem in self._taken or not all(map(self._builder.can_name, quantity.values)):
            return quantity
        if not quantity.shape and (last := self._builder[quantity.values[0]]).operation is Operation.NEGATE:
            self.name(f"minus_{stem}", Quantity((), last.operands))
            return quantity
        return super().name(stem, quantity)

    def require_positive(self, *numbers: Quantity) -> None:
        """As the other recorder does, but for numbers that are."""
        for number in numbers:
            known = self._builder.constant_value(number.values[0])
            if known is None or not known > 0:
                super().require_positive(number)
