"""Derivatives of recorded results by q, qd, qdd, tau and parameters: automatic differentiation.

The variables are joint positions q, velocities qd, accelerations qdd and forces tau, each with one
entry for every joint velocity. Derivatives by q are derivatives by small motions of the joints. A
small motion of a floating base is a translation along or a rotation about one of its axes.

The pose of a floating base affects recorded results only through vectors that are constant in the
fixed frame: the opposite of gravity (`up`) and contact forces. These vectors, resolved in the axes
of the base, are the variables of differentiation in place of the base's quaternion. A small
rotation e of the base changes their components u by cross(u, e); a translation does not change
them.

The recorder has to be memoised (a formula that is applied twice to the same values is recorded
once), so that `up` and the contact forces are recorded only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from dynagen.dynamics.algorithms.integration import STEP_LENGTH
from dynagen.dynamics.algorithms.recording import Change, Recording
from dynagen.dynamics.recording import Quantity
from dynagen.ir.differentiation import append_adjoints, append_tangents, list_needed
from dynagen.numbers.exact import Exact
from dynagen.numbers.parametric import differentiate


def _list_position_changes(recording: Recording) -> list[list[Change]]:
    """Return, for each joint velocity, the variables that a small motion of this joint changes.

    The result has one list for each entry of the velocity vector. The list contains pairs of a
    recorded variable and its derivative by the motion.
    """
    return [
        changes for body in recording.bodies for changes in body.list_position_changes(recording)
    ]


def list_unit_changes(recording: Recording, name: str) -> list[list[Change]]:
    """Return, for each element of an input, the recorded variables that depend on it.

    `name` is the name of the input. The result has one list for each element, with pairs of a
    recorded variable and its derivative by the element. For the input q, there is one list for each
    joint velocity, and the derivatives are by small motions of the joints.
    """
    one = recording.add_constant(1)
    if name == STEP_LENGTH:
        return [[(recording.add_element(name), one)]]
    if name != "q":
        return [[(element, one)] for element in recording.add_elements(name)]
    return _list_position_changes(recording)


def record_tangents(
    recording: Recording,
    results: Sequence[Quantity],
    changes: Iterable[Change],
    fixed: Iterable[Quantity] = (),
) -> tuple[Quantity, ...]:
    """Record the changes of recorded scalars, by forward-mode differentiation.

    Args:
        recording: program under construction.
        results: the recorded scalars to differentiate.
        changes: pairs of a variable and its change, of the same shape.
        fixed: intermediate scalars that are treated as independent of the variables.

    Returns:
        The change of each of `results`, in the same order.
    """
    # Seeds are the known changes; all other values of the program have changes that follow.
    seeds = {
        value: change
        for variable, by in changes
        for value, change in zip(variable.values, by.values, strict=True)
    }
    return _make_scalars(
        recording,
        append_tangents(
            recording.recorder.builder,
            [result.values[0] for result in results],
            seeds,
            {quantity.values[0] for quantity in fixed},
        ),
    )


def record_changes(
    recording: Recording,
    results: Sequence[Quantity],
    changes: Mapping[str, Sequence[Quantity]],
    fixed: Iterable[Quantity] = (),
) -> tuple[Quantity, ...]:
    """Record the changes of recorded scalars for changes of inputs.

    Args:
        recording: program under construction.
        results: the recorded scalars to differentiate.
        changes: changes of inputs by name (q, qd, qdd or tau), one scalar for each entry of the
            velocity vector v; changes of q are small joint motions.
        fixed: intermediate scalars that are treated as independent of the inputs.

    Returns:
        The change of each of `results`, in the same order.
    """
    return record_tangents(recording, results, _iterate_changes(recording, changes), fixed)


def _iterate_changes(
    recording: Recording, changes: Mapping[str, Sequence[Quantity]]
) -> Iterator[Change]:
    """Yield pairs of a recorded variable and its change, from the changes of inputs.

    `changes` maps the name of an input to its changes, one scalar for each entry of the velocity
    vector. Changes of q are small joint motions.
    """
    for name, by in changes.items():
        if name != "q":
            yield from zip(recording.add_elements(name), by, strict=True)
            continue
        sums: dict[tuple[int, ...], Change] = {}
        for factor, variables in zip(by, _list_position_changes(recording), strict=True):
            for variable, share in variables:
                # A single entry of q changes by one.
                change = factor if len(variables) == 1 and not share.shape else factor * share
                if variable.values in sums:
                    change = sums[variable.values][1] + change
                sums[variable.values] = variable, change
        yield from sums.values()


def record_gradient(
    recording: Recording,
    results: Sequence[Quantity],
    weights: Sequence[Quantity],
    names: Sequence[str],
    fixed: Sequence[Quantity] = (),
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum of scalars, by reverse-mode differentiation.

    Args:
        recording: program under construction.
        results: the recorded scalars that the sum contains.
        weights: factor of each scalar in the sum, in the same order.
        names: names of the inputs by which the sum is differentiated (q: by small joint motions).
        fixed: intermediate scalars that are treated as independent of the inputs.

    Returns:
        One list for each of `names`, with one derivative for each element of the input.
    """
    # For each input and each entry of v the variables that it changes, and how much.
    groups = {name: list_unit_changes(recording, name) for name in names}
    variables = list(
        {
            variable.values: variable
            for group in groups.values()
            for changes in group
            for variable, _ in changes
        }.values()
    )
    # One sweep of reverse mode gives the derivatives by all variables, in this order.
    adjoints = iter(
        _make_scalars(
            recording,
            append_adjoints(
                recording.recorder.builder,
                [
                    (result.values[0], weight.values[0])
                    for result, weight in zip(results, weights, strict=True)
                ],
                [value for variable in variables for value in variable.values],
                [quantity.values[0] for quantity in fixed],
            ),
        )
    )
    by_variable = {
        variable.values: [next(adjoints) for _ in variable.values] for variable in variables
    }
    zero = recording.add_constant(0)

    def add_up(changes: Sequence[Change]) -> Quantity:
        terms = [
            (share, adjoint)
            for variable, by in changes
            for share, adjoint in zip(by, by_variable[variable.values], strict=True)
        ]
        if len(terms) == 1:
            return terms[0][1]  # the change is one
        return reduce(add, (share * adjoint for share, adjoint in terms)) if terms else zero

    return [[add_up(changes) for changes in groups[name]] for name in names]


def record_parameter_gradient(
    recording: Recording,
    results: Sequence[Quantity],
    weights: Sequence[Quantity],
    fixed: Sequence[Quantity] = (),
) -> list[Quantity]:
    """Record the derivatives of a weighted sum of scalars by the run-time parameters.

    Args:
        recording: program under construction.
        results: the recorded scalars that the sum contains.
        weights: factor of each scalar in the sum, in the same order.
        fixed: intermediate scalars that are treated as independent of the parameters.

    Returns:
        One derivative for each run-time parameter, in the order of the model's parameters.
    """
    constants = _list_parametric_constants(recording, results)
    adjoints = _make_scalars(
        recording,
        append_adjoints(
            recording.recorder.builder,
            [
                (result.values[0], weight.values[0])
                for result, weight in zip(results, weights, strict=True)
            ],
            [place for place, _ in constants],
            [quantity.values[0] for quantity in fixed],
        ),
    )
    gradient = []
    for parameter in recording.model.parameters:
        total = recording.add_constant(0)
        for adjoint, (_, number) in zip(adjoints, constants, strict=True):
            if change := differentiate(number, parameter.name):
                total = total + adjoint * change
        gradient.append(total)
    return gradient


def record_parameter_changes(
    recording: Recording,
    results: Sequence[Quantity],
    changes: Sequence[Quantity],
    fixed: Sequence[Quantity] = (),
) -> tuple[Quantity, ...]:
    """Record the changes of recorded scalars for changes of the run-time parameters.

    Args:
        recording: program under construction.
        results: the recorded scalars to differentiate.
        changes: change of each run-time parameter, one scalar each, in the order of the model.
        fixed: intermediate scalars that are treated as independent of the parameters.

    Returns:
        The change of each of `results`, in the same order.
    """
    seeds = {}
    for place, number in _list_parametric_constants(recording, results):
        total = recording.add_constant(0)
        for parameter, change in zip(recording.model.parameters, changes, strict=True):
            if derivative := differentiate(number, parameter.name):
                total = total + change * derivative
        seeds[place] = total.values[0]
    return _make_scalars(
        recording,
        append_tangents(
            recording.recorder.builder,
            [result.values[0] for result in results],
            seeds,
            {quantity.values[0] for quantity in fixed},
        ),
    )


def _list_parametric_constants(
    recording: Recording, results: Sequence[Quantity]
) -> list[tuple[int, Exact]]:
    """Return the constants that the results use and that depend on run-time parameters.

    The result has one pair for each constant: its position in the program, and its value as an
    expression in the run-time parameters.
    """
    builder = recording.recorder.builder
    places = list_needed(builder, [result.values[0] for result in results])
    numbers = zip(places, builder.get_constants(places), strict=True)
    return [(place, number) for place, number in numbers if number and not number.is_known]


def _make_scalars(recording: Recording, values: Iterable[int]) -> tuple[Quantity, ...]:
    """Return the values at the given positions of the program, as recorded scalars."""
    return tuple(Quantity(recording.recorder, (), (value,)) for value in values)
