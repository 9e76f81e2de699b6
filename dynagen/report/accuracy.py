"""Measurement of rounding errors of programs, and of the effect of snapped numbers.

A program with fewer operations rounds less often, but another order of its sums may cancel more
digits. The recorded recursion and the optimised program are evaluated in double precision, and
compared with arithmetic of 50 digits. The states are random states, and states close to poses with
parallel axes, where terms cancel.

Snapping: CAD tools write rounded numbers, such as 1.5708 for pi/2. The reader replaces rounded
numbers by exact numbers ("snaps" them). The effect on joint forces is measured for each number, and
for all numbers together.
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
from dynagen.numbers.arrays import Array
from dynagen.numbers.irrational import to_mpmath
from dynagen.optimizer.compile import CompiledFunction
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.inverse_states import sample_inputs
from dynagen.report.console import make_table
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import Snap, Snapping
from dynagen.robot.loading import open_reader
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import DEFAULT_COUNT, sample_states

_DIGITS = 50
_STATES = 16  # random states, and as many near multiples of right angles
_NEAR = 1e-6  # rad: distance from a multiple of a right angle
# An array below this part of its largest value in any state counts as zero: cos(pi/2) is not
# exactly 0 in double precision.
_VANISHED = 1e-12
_PRECISE = Arithmetic(
    lambda value: to_mpmath(value.to_fraction()),
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
    locate=mpmath.mpf,
)


@dataclass(frozen=True)
class Rounding:
    """Largest rounding errors of a function.

    Errors are in units of the last place (ulp) of the largest element of the output array in the
    same state. If the output array is zero in a state, the unit is derived from the largest element
    in any state.

    Attributes:
        recorded: error of the recursion as recorded, before optimisation.
        emitted: error of the optimised program.
        states: number of states.
    """

    recorded: float
    emitted: float
    states: int

    def as_dict(self) -> dict[str, float]:
        """Return a mapping for JSON: the errors `recorded` and `emitted` (ulp), and `states`."""
        return asdict(self)


def measure_rounding(generation: Generation) -> dict[str, Rounding]:
    """Measure the rounding errors of all functions of a run, and return them by function name.

    The result is empty for robots with run-time parameters, because recorded and optimised programs
    then have different inputs.
    """
    if generation.description.parameters:
        return {}
    return {function.name: _measure(generation, function) for function in generation.functions}


def tabulate_rounding(console: Console, measured: Mapping[str, Rounding]) -> Table:
    """Return a table of measured rounding errors, in units of the last place, for each kernel.

    Args:
        console: where the table will be printed.
        measured: rounding errors by kernel name.
    """
    title = "Largest rounding error, in units in the last place of the largest element"
    table = make_table(console, title, "kernel", "as recorded", "emitted", "states")
    for name, rounding in measured.items():
        table.add_row(
            name, f"{rounding.recorded:.1f}", f"{rounding.emitted:.1f}", str(rounding.states)
        )
    return table


def _measure(generation: Generation, function: CompiledFunction) -> Rounding:
    """Measure the rounding errors of one function."""
    recorded = function.definition.build(generation.model, function.method)
    inputs = _sample(generation, function)
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


def _sample(generation: Generation, function: CompiledFunction) -> dict[str, Array]:
    """Return random states, then the same states with joint positions near multiples of pi/2.

    States in which the function is not defined are omitted. The arrays have the shape (states,
    number of elements).
    """
    sizes = {argument.name: argument.size for argument in function.program.inputs}
    names = tuple(sizes)
    sampled = sample_states(
        generation.description, names, _STATES, generation.request.settings.seed, sizes
    )
    inputs = {name: np.concatenate([sampled[name]] * 2) for name in names}
    seed = generation.request.settings.seed
    inputs |= sample_inputs(generation.description, function, 2 * _STATES, seed)
    if "q" in inputs:
        q = inputs["q"][_STATES:]
        q[:] = np.round(q / (np.pi / 2)) * (np.pi / 2) + _NEAR * np.sin(q)
    expected_results = function.definition.expected_results
    if expected_results.defined is None or expected_results.inverse is not None:
        return inputs
    reference = make_references(generation.description)[0]
    defined = np.broadcast_to(expected_results.defined(reference, *inputs.values()), 2 * _STATES)
    return {name: values[defined] for name, values in inputs.items()}


def _worst_error(
    program: Program, inputs: Mapping[str, Array], exact: list[dict[str, list[Any]]]
) -> float:
    """Return the largest error of a program's results, in units of the last place (ulp)."""
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
    """Return a result in one state; a single number is the result in all states."""
    return mpmath.mpf(float(values[state] if np.ndim(values) else values))


_SMALLEST_SCALE = 1e-2  # smallest scale of a joint's force, relative to the largest of all joints
_MOST_LINK_STATES = 20_000  # links times states for each number: one second for fifty numbers


@dataclass(frozen=True)
class SnapEffect:
    """Effect of one snapped number on joint forces.

    A snapped number was read from the robot's file as a nearby round value, such as 1.5708 as pi/2.

    Attributes:
        snap: the number, as written in the file and as read.
        change: largest relative change of a joint force, over all states and joints. Changes are
            divided by the largest force of the joint, or by a hundredth of the largest force of all
            joints if that is larger.
    """

    snap: Snap
    change: float


def measure_snap_effects(description: RobotDescription) -> tuple[SnapEffect, ...]:
    """Measure, by numeric inverse dynamics, the effect of each snapped number on joint forces.

    A snapped number was read from the robot's file as a nearby round value. The robot with one
    snapped number is compared with the robot as written, on states of the proof.

    Args:
        description: the robot, as `load_robot` has read it from a file.

    Returns:
        The effects in the order of `description.snaps`.
    """
    usual = description.reading.snapping
    alone = [replace(usual, only=place) for place in range(len(description.snaps))]
    return tuple(map(SnapEffect, description.snaps, _changes(description, alone, DEFAULT_COUNT)))


def measure_total_snap_effect(description: RobotDescription, states: int = DEFAULT_COUNT) -> float:
    """Measure the effect of all snapped numbers of a robot together, on at most `states` states.

    Snapped numbers were read from the robot's file as nearby round values. Changes are divided by
    the largest force of the joint, or by a hundredth of the largest force of all joints if that is
    larger.

    Returns:
        Largest relative change of a joint force, over all states and joints.
    """
    (change,) = _changes(description, [description.reading.snapping], states)
    return change


def _changes(
    description: RobotDescription, snappings: Sequence[Snapping], most: int
) -> Iterator[float]:
    """Yield, for each setting of snapping, the largest relative change of a joint force.

    Snapping reads numbers of the robot's file as nearby round values. Joint forces are compared
    with those of the robot as written. `most` limits the number of states.
    """
    count = max(20, min(most, _MOST_LINK_STATES // len(description.links)))
    states = sample_states(description, count=count)
    read = open_reader(description.path, description.reading)

    def forces(snapping: Snapping) -> Array:
        newton_euler, _ = make_references(
            read(replace(description.reading, snapping=snapping, strict=False))
        )
        return newton_euler.compute_inverse_dynamics(states["q"], states["qd"], states["qdd"])

    exact = forces(Snapping(Fraction(0)))
    largest = np.abs(exact).max(axis=0)
    scale = np.maximum(largest, _SMALLEST_SCALE * largest.max()) + np.finfo(float).tiny
    for snapping in snappings:
        yield float((np.abs(forces(snapping) - exact).max(axis=0) / scale).max())
