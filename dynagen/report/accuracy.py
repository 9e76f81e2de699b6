"""Accuracy: rounding against 50 digits, and the effect of numbers read as round ones.

Rounding: what optimisation does to the accuracy of a program, measured against an evaluation with 50 digits.

Fewer operations round less often, but sums in another order may cancel more. Two programs are evaluated in double precision,
the one recorded for the robot as described and the emitted one, at random states and close to poses with parallel axes.

Effects of numbers that were read as round ones on the torques of a robot, each of them alone and all together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from rich.console import Console
from rich.table import Table

from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Operation, Program
from dynagen.numbers.exact import Exact
from dynagen.numbers.irrational import to_mpmath
from dynagen.optimizer.compile import CompiledFunction
from dynagen.pipeline.generation import Generation
from dynagen.report.console import new_table
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import Snap, Snapping
from dynagen.robot.loading import reader_of
from dynagen.verification.kinematics import Array
from dynagen.verification.reference import references
from dynagen.verification.sampling import DEFAULT_COUNT, sample_states

_DIGITS = 50
_STATES = 16  # of either kind
_NEAR = 1e-6  # rad, of a multiple of a right angle
_VANISHED = 1e-12  # of the largest in any state: cos(pi/2) is not quite 0 in double precision


def _number(value: Exact) -> mpmath.mpf:
    return to_mpmath(value.to_fraction())


_PRECISE = Arithmetic(
    _number,
    {
        Operation.SINE: mpmath.sin,
        Operation.COSINE: mpmath.cos,
        Operation.SQRT: mpmath.sqrt,
        Operation.SIGN: mpmath.sign,
        Operation.HYPERBOLIC_TANGENT: mpmath.tanh,
        Operation.EXPONENTIAL: mpmath.exp,
        Operation.MINIMUM: min,
        Operation.MAXIMUM: max,
    },
)


@dataclass(frozen=True)
class Rounding:
    """Worst errors of the results, in units of the last place of the largest element of their array in the same state.

    Where an array vanishes, it is the largest element in any state.

    Attributes:
        recorded: of the program as it is recorded for the robot as described.
        emitted: of the optimised one.
        states: on how many states.
    """

    recorded: float
    emitted: float
    states: int

    def as_dict(self) -> dict[str, float]:
        """The errors by name, for JSON."""
        return asdict(self)


def measure_rounding(generation: Generation) -> dict[str, Rounding]:
    """Measure every function, by name; nothing with run-time parameters, whose programs have different inputs."""
    if generation.description.parameters:
        return {}
    return {function.name: _measure(generation, function) for function in generation.functions}


def rounding_table(console: Console, measured: Mapping[str, Rounding]) -> Table:
    """The measured errors as a table."""
    title = "Worst rounding, in units of the last place of the largest element"
    table = new_table(console, title, "kernel", "as recorded", "emitted", "states")
    for name, rounding in measured.items():
        table.add_row(
            name, f"{rounding.recorded:.1f}", f"{rounding.emitted:.1f}", str(rounding.states)
        )
    return table


def _measure(generation: Generation, function: CompiledFunction) -> Rounding:
    recorded = function.definition.build(generation.model, function.method)
    inputs = _states(generation, function)
    (count,) = {len(values) for values in inputs.values()}
    with mpmath.workdps(_DIGITS):
        exact = [
            evaluate(
                recorded,
                {
                    name: [mpmath.mpf(float(x)) for x in values[state]]
                    for name, values in inputs.items()
                },
                _PRECISE,
            )
            for state in range(count)
        ]
        return Rounding(
            _worst_error(recorded, inputs, exact),
            _worst_error(function.program, inputs, exact),
            count,
        )


def _states(generation: Generation, function: CompiledFunction) -> dict[str, Array]:
    """Random states, and the same near multiples of right angles; those in which there are results."""
    names = tuple(argument.name for argument in function.program.inputs)
    sampled = sample_states(
        generation.description, names, _STATES, generation.request.settings.seed
    )
    inputs = {name: np.concatenate([sampled[name]] * 2) for name in names}
    if "q" in inputs:
        q = inputs["q"][_STATES:]
        q[:] = np.round(q / (np.pi / 2)) * (np.pi / 2) + _NEAR * np.sin(q)
    if function.definition.oracle.defined is None:
        return inputs
    reference = references(generation.description)[0]
    defined = np.broadcast_to(
        function.definition.oracle.defined(reference, *inputs.values()), 2 * _STATES
    )
    return {name: values[defined] for name, values in inputs.items()}


def _worst_error(
    program: Program, inputs: Mapping[str, Array], exact: list[dict[str, list[Any]]]
) -> float:
    worst = 0.0
    computed = evaluate(program, {name: list(values.T) for name, values in inputs.items()})
    for name, elements in computed.items():
        largest = [max(map(abs, results[name])) for results in exact]
        overall = max(largest) or 1
        for state, results in enumerate(exact):
            unit = largest[state] if largest[state] > _VANISHED * overall else overall
            errors = (
                abs(_in_state(x, state) - y) for x, y in zip(elements, results[name], strict=True)
            )
            worst = max(worst, *(float(error / unit) for error in errors), 0.0)
    return worst / float(np.finfo(np.float64).eps)


def _in_state(values: Any, state: int) -> Any:
    """One of the values; a result that is a known number is the same in all states."""
    return mpmath.mpf(float(values[state] if np.ndim(values) else values))


_SMALLEST_SCALE = 1e-2
_MOST_LINK_STATES = (
    20_000  # links times states that each number is measured on: a second for fifty numbers
)


@dataclass(frozen=True)
class SnapEffect:
    """A number that was read as a round one, and how far that changes torques.

    Attributes:
        change: of inverse dynamics, the largest of all states and joints, by the largest force of that joint (where that is
            next to nothing, by a hundredth of the largest of all joints).
    """

    snap: Snap
    change: float


def snap_effects(description: RobotDescription) -> tuple[SnapEffect, ...]:
    """Measure every number of a file that was read as a round one, by the numeric reference.

    The robot with one such number is compared with the robot whose numbers are all as they are written, on states of the
    proof, on fewer of them if links are many.

    Args:
        description: as `load_robot` has read it from a file.

    Returns:
        The effects, in the order of `snaps`.
    """
    usual = description.reading.snapping
    alone = [replace(usual, only=place) for place in range(len(description.snaps))]
    return tuple(map(SnapEffect, description.snaps, _changes(description, alone, DEFAULT_COUNT)))


def change_of_all(description: RobotDescription, states: int = DEFAULT_COUNT) -> float:
    """What all of these numbers together do, as the `change` of one, on at most so many states."""
    (change,) = _changes(description, [description.reading.snapping], states)
    return change


def _changes(
    description: RobotDescription, snappings: Sequence[Snapping], most: int
) -> Iterator[float]:
    count = max(20, min(most, _MOST_LINK_STATES // len(description.links)))
    states = sample_states(description, count=count)
    read = reader_of(description.path, description.reading)

    def forces(snapping: Snapping) -> Array:
        newton_euler, _ = references(
            read(replace(description.reading, snapping=snapping, strict=False))
        )
        return newton_euler.inverse_dynamics(states["q"], states["qd"], states["qdd"])

    exact = forces(Snapping(Fraction(0)))
    largest = np.abs(exact).max(axis=0)
    scale = np.maximum(largest, _SMALLEST_SCALE * largest.max()) + np.finfo(float).tiny
    for snapping in snappings:
        yield float((np.abs(forces(snapping) - exact).max(axis=0) / scale).max())
