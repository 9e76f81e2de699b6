"""Derivatives of recorded results by the motion, by automatic differentiation.

The variables are q, qd, qdd and tau, with one entry for each entry of v. The entries of q are small
motions. The pose of a floating base enters only through vectors that are constant in base axes:
`up`, the opposite of gravity, and contact forces. In the axes of the base a small rotation e of the
base changes such a vector u by u x e, and translations change nothing. So these vectors are the
variables in place of the quaternion.

Every recorder here has to be memoised, so that all formulas use the same values of these vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from dynagen.dynamics.algorithms.external_wrenches import list_turned_forces
from dynagen.dynamics.algorithms.frames import ANGULAR, record_up
from dynagen.dynamics.algorithms.integration import STEP_LENGTH
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, join
from dynagen.ir.differentiation import append_adjoints, append_tangents, list_needed
from dynagen.numbers.exact import Exact
from dynagen.numbers.parametric import differentiate

Change = tuple[Quantity, Quantity]
"""A variable, and how much it changes."""


def _list_joint_positions(recording: Recording) -> list[list[Change]]:
    """Return for each entry of v of a joint the entries of q that it changes, and how much.

    The pose of a floating base is left out. A rotation e of a spherical joint changes the
    quaternion (u, w) by half of (w e + u x e, -u.e).
    """
    one, half = recording.add_constant(1), recording.add_constant(Exact("0.5"))
    changes: list[list[Change]] = []
    for body in recording.model.coordinates:
        place = body.joint.idx_q
        if body.is_free:
            continue
        if body.column is None:
            changes.append([(recording.add_element("q", place), one)])
            continue
        entries = [recording.add_element("q", place + entry) for entry in range(4)]
        x, y, z, w = (half * entry for entry in entries)
        turned = ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z))[body.column]
        changes.append(list(zip(entries, turned, strict=True)))
    return changes


def _list_turned_vectors(recording: Recording) -> list[Quantity]:
    """Return the vectors that turn against a floating base: up, and the contact forces."""
    return [record_up(recording), *list_turned_forces(recording)]


def list_unit_changes(recording: Recording, name: str) -> list[list[Change]]:
    """Return for each entry of v, or for dt, the changes of variables for a unit change.

    A translation of a floating base changes no variable.
    """
    one = recording.add_constant(1)
    if name == STEP_LENGTH:
        return [[(recording.add_element(name), one)]]
    if name != "q":
        return [[(element, one)] for element in recording.add_elements(name)]
    changes = _list_joint_positions(recording)
    if not recording.model.floats:
        return changes
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    turned = [
        [
            (vector, vector.cross(recording.add_constant(*axis)))
            for vector in _list_turned_vectors(recording)
        ]
        for axis in axes
    ]
    return [[], [], [], *turned, *changes]


def record_tangents(
    recording: Recording,
    results: Sequence[Quantity],
    changes: Iterable[Change],
    fixed: Iterable[Quantity] = (),
) -> tuple[Quantity, ...]:
    """Record the changes of some scalars, by differentiation in forward mode.

    Args:
        recording: the recording.
        results: the scalars.
        changes: changes of the variables.
        fixed: scalars that count as independent of the variables.
    """
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
    """Record the changes of some scalars for changes of inputs.

    Args:
        recording: the recording.
        results: the scalars.
        changes: changes of inputs by name, one scalar for each entry of v.
        fixed: scalars that count as independent of the inputs.
    """
    return record_tangents(recording, results, _iterate_changes(recording, changes), fixed)


def _iterate_changes(
    recording: Recording, changes: Mapping[str, Sequence[Quantity]]
) -> Iterator[Change]:
    """Yield the changes of variables for changes of inputs."""
    for name, by in changes.items():
        if name != "q":
            yield from zip(recording.add_elements(name), by, strict=True)
            continue
        positions = _list_joint_positions(recording)
        sums: dict[int, Change] = {}
        for entries, factor in zip(positions, by[len(by) - len(positions) :], strict=True):
            for element, share in entries:
                (value,) = element.values
                change = factor if len(entries) == 1 else share * factor
                sums[value] = element, sums[value][1] + change if value in sums else change
        yield from sums.values()
        if recording.model.floats:
            for vector in _list_turned_vectors(recording):
                yield vector, vector.cross(join(by[ANGULAR]))


def record_gradient(
    recording: Recording,
    results: Sequence[Quantity],
    weights: Sequence[Quantity],
    names: Sequence[str],
    fixed: Sequence[Quantity] = (),
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum of scalars, by differentiation in reverse mode.

    Args:
        recording: the recording.
        results: the scalars.
        weights: weight of each scalar.
        names: inputs by which the sum is differentiated.
        fixed: scalars that count as independent of the inputs.

    Returns:
        For each input its derivatives, one for each entry of v.
    """
    one = recording.add_constant(1)
    # For each input and each entry of v the variables that it changes, and how much.
    variables = {
        name: _list_joint_positions(recording)
        if name == "q"
        else [[(element, one)] for element in recording.add_elements(name)]
        for name in names
    }
    turned = _list_turned_vectors(recording) if recording.model.floats and "q" in names else []
    elements = list(
        {
            element.values: element
            for group in variables.values()
            for changes in group
            for element, _ in changes
        }.values()
    )
    adjoints = iter(
        _make_scalars(
            recording,
            append_adjoints(
                recording.recorder.builder,
                [
                    (result.values[0], weight.values[0])
                    for result, weight in zip(results, weights, strict=True)
                ],
                [value for each in (*elements, *turned) for value in each.values],
                [quantity.values[0] for quantity in fixed],
            ),
        )
    )
    by_element = {element.values: next(adjoints) for element in elements}
    gradient = {
        name: [
            by_element[changes[0][0].values]
            if len(changes) == 1  # the change is one
            else reduce(add, (share * by_element[element.values] for element, share in changes))
            for changes in group
        ]
        for name, group in variables.items()
    }
    if turned:
        # e changes u by u x e, and b . (u x e) = e . (b x u).
        by_rotation = reduce(
            add, (join(next(adjoints) for _ in vector.values).cross(vector) for vector in turned)
        )
        zero = recording.add_constant(0)
        gradient["q"] = [zero, zero, zero, *by_rotation, *gradient["q"]]
    return [gradient[name] for name in names]


def record_parameter_gradient(
    recording: Recording,
    results: Sequence[Quantity],
    weights: Sequence[Quantity],
    fixed: Sequence[Quantity] = (),
) -> list[Quantity]:
    """Record the derivatives of a weighted sum of scalars by the run-time parameters.

    Args:
        recording: the recording.
        results: the scalars.
        weights: weight of each scalar.
        fixed: scalars that count as independent of the parameters.

    Returns:
        One derivative for each parameter.
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
    """Record the changes of some scalars for changes of the run-time parameters.

    Args:
        recording: the recording.
        results: the scalars.
        changes: changes of the parameters.
        fixed: scalars that count as independent of the parameters.
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
    """Return position and number of each constant that depends on run-time parameters."""
    builder = recording.recorder.builder
    places = list_needed(builder, [result.values[0] for result in results])
    numbers = zip(places, builder.get_constants(places), strict=True)
    return [(place, number) for place, number in numbers if number and not number.is_known]


def _make_scalars(recording: Recording, values: Iterable[int]) -> tuple[Quantity, ...]:
    """Return scalars at positions of the program."""
    return tuple(Quantity(recording.recorder, (), (value,)) for value in values)
