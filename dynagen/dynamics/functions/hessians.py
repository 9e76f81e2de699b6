"""Second derivatives of inverse and forward dynamics, contracted with a multiplier.

Solvers with exact Hessians require the second derivatives of weighted sums l^T tau or l^T qdd, with
the joint forces tau, the joint accelerations qdd and a vector l of weights (multiplier). The second
derivatives are the tangents of the first derivatives that reverse mode computes (forward over
reverse, Griewank and Walther, "Evaluating Derivatives", 2nd edition, 2008, section 5.1). The
matrices are symmetric, so that only one triangle is computed. Blocks that are zero for every robot
are not computed.

Rows and columns for the pose of a floating base are derivatives by the six components of e, where
exp(e) is a small motion along and about the base's own axes. External wrenches are treated as
constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import pi, sin
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.differentiation import list_unit_changes, record_tangents
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments
from dynagen.dynamics.function import (
    Availability,
    DynamicsFunction,
    ExpectedResults,
    Results,
    ignore_last_inputs,
)
from dynagen.dynamics.functions.derivative_products import (
    FORWARD_DYNAMICS_VJP,
    INVERSE_DYNAMICS_VJP,
    add_inputs,
    make_variables,
    record_forward_weighted,
    record_inverse_weighted,
)
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    compute_inverse_dynamics_magnitudes,
    divide_unit,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.numbers.exact import ONE
from dynagen.robot.model.model import RobotModel

MULTIPLIER = "multiplier"


def _record(
    names: Sequence[str],
    linear: Sequence[tuple[str, str]],
    record: Callable[[Recording, Sequence[Quantity]], list[list[Quantity]]],
    lower: bool,
    recording: Recording,
) -> Results:
    """Record the Hessian of a weighted sum of a function's outputs.

    With `lower`, the lower triangle of each diagonal block is computed, else the upper one.

    `record` records the derivatives of the weighted sum by the inputs `names`, from the weights.
    `linear` has pairs of inputs whose mixed second derivatives are zero.
    """
    with recording.recorder.memoise():
        gradient = record(recording, recording.add_elements(MULTIPLIER))
        matrix = record_second_derivatives(recording, names, linear, gradient, lower)
        derivatives = [each for group in gradient for each in group]
        for body in recording.bodies:
            for rotations in body.rotations_by_entry:
                _symmetrise_rotations(rotations, derivatives, matrix, lower)
    return ([entry for row in matrix for entry in row],)


def record_second_derivatives(
    recording: Recording,
    names: Sequence[str],
    linear: Sequence[tuple[str, str]],
    gradient: Sequence[Sequence[Quantity]],
    lower: bool,
) -> list[list[Quantity]]:
    """Record the Hessian of a weighted sum by differentiating its gradient; return the rows.

    Derivatives by q are derivatives by small motions of the joints. Second derivatives by two
    rotations of the same body depend on the order of the rotations, and are not symmetrised.

    Args:
        recording: recording of the function for the robot.
        names: names of the inputs by which the sum is differentiated, in the order of rows and
            columns.
        linear: pairs of names of inputs whose mixed second derivatives are zero.
        gradient: for each input of `names`, the derivatives of the sum by its elements.
        lower: True to compute the lower triangle of each diagonal block and copy it to the upper
            one, False for the reverse.
    """
    nv = recording.model.nv
    derivatives = [each for group in gradient for each in group]
    matrix = [[recording.add_constant(0)] * len(derivatives) for _ in derivatives]
    changes = [(name, change) for name in names for change in list_unit_changes(recording, name)]
    with recording.recorder.suppress_names():
        for column, (name, change) in enumerate(changes):
            index = column % nv
            recording.begin_section(f"Second derivatives by {name}[{index}]")
            # The length of a step comes last, and is a block of its own.
            first, after = column - index, min(column - index + nv, len(changes))
            block = range(column, after) if lower else range(first, column + 1)
            rows = [
                row
                for row in (*block, *range(after, len(changes)))
                if (name, changes[row][0]) not in linear
            ]
            tangents = record_tangents(recording, [derivatives[row] for row in rows], change)
            for row, tangent in zip(rows, tangents, strict=True):
                matrix[row][column] = matrix[column][row] = tangent
    return matrix


def _symmetrise_rotations(
    rotations: Sequence[int],
    derivatives: Sequence[Quantity],
    matrix: list[list[Quantity]],
    lower: bool,
) -> None:
    """Symmetrise the second derivatives with respect to two rotations of the same body.

    Rotations do not commute; the result is the mean of both orders of differentiation.

    `matrix` contains the second derivatives and is changed in place. `lower` is True if its lower
    triangle was computed, False for the upper one. `derivatives` are the first derivatives by all
    variables. `rotations` are the indices of the rotations about x, y, z in the joint velocities.
    """
    x, y, z = rotations
    for row, column, third in ((x, y, z), (y, z, x), (z, x, y)):
        # e_row x e_column = e_third
        half, entry = derivatives[third] * (ONE / 2), matrix[row][column]
        entry = entry + half if (row > column) is lower else entry - half
        matrix[row][column] = matrix[column][row] = entry


def make_hessian(*names: str) -> Arguments:
    """Return a function that makes a robot's argument `H`, a matrix of second derivatives.

    The matrix is symmetric, with a row and a column for each element of the inputs `names`, in
    order. The input q has one element for each joint velocity.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        variables = make_variables(*names)(model)
        units = [unit for variable in variables for unit in variable.units]
        return (
            Argument(
                "H",
                (len(units), len(units)),
                tuple(
                    divide_unit(divide_unit("1", row), column) for row in units for column in units
                ),
                f"second derivatives of the weighted sum by {', '.join(names)}; symmetric",
            ),
        )

    return arguments


def _make_multiplier(of: DynamicsFunction) -> Arguments:
    """Return a function that makes a robot's input `multiplier`, a vector of weights.

    The input is a copy, under another name, of the last input of the function `of`, which contains
    the weights of that function's result.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        weights = of.inputs(model)[-1]
        return (Argument(MULTIPLIER, weights.shape, weights.units, weights.meaning),)

    return arguments


@dataclass(frozen=True)
class _Difference:
    """A central difference that approximates the derivative of a function f at x.

    The derivative is the sum of w_k (f(x + k h) - f(x - k h)) for k = 1, 2, ...

    Attributes:
        step: the step h, in rad or m.
        weights: the weights w_k, in 1/rad or 1/m.
    """

    step: float
    weights: tuple[float, ...]


# Joint forces are trigonometric polynomials of second degree in the angle of a joint, as the
# kinetic energy is. A polynomial through five states of one revolution therefore has
# the same derivative (L. N. Trefethen, "Spectral Methods in MATLAB", 2000, chapter 3).
_REVOLUTION = _Difference(0.4 * pi, (0.5 / sin(0.2 * pi), -0.5 / sin(0.4 * pi)))
# Joint forces are polynomials of second degree in the displacement of a prismatic joint.
_DISPLACEMENT = _Difference(1.0, (0.5,))


def _make_general_difference(ratio: float) -> _Difference:
    """Return a central difference with an error of order h^10 for the step h.

    The weights are from Fornberg, "Generation of Finite Difference Formulas on Arbitrarily Spaced
    Grids", Mathematics of Computation 51, 1988, table 1. `ratio` is the sum of the absolute ratios
    of the joint and all joints that mimic it.
    """
    # The ratios of mimicking joints add up, and with them the frequency of the forces, so the step
    # shrinks. It stays as large as the error permits, because rounding errors are divided by it.
    step = 0.08 / (1.0 + max(1.0, ratio))
    return _Difference(step, tuple(w / step for w in (5 / 6, -5 / 21, 5 / 84, -5 / 504, 1 / 1260)))


def _choose_difference(reference: Any, entry: int) -> _Difference:
    """Return the central difference for derivatives by the joint with the index `entry` in qd.

    The difference is exact for most joints. For joints that other joints mimic, and for helical
    joints, it is a general difference of high order.
    """
    coordinates = reference.coordinates
    if any(entry in range(moved.start, moved.stop) for _, moved in coordinates.turning_joints):
        return _REVOLUTION
    moved = [
        (link, coordinates.ratio[link.variable])
        for link in reference.links
        if link.variable is not None and coordinates.index[link.variable] == entry
    ]
    (link, ratio), *others = moved
    if others or abs(ratio) != 1 or (link.linear and link.angular):
        return _make_general_difference(sum(abs(each) for _, each in moved))
    return _DISPLACEMENT if link.linear else _REVOLUTION


def _expect_inverse_blocks(
    reference: Any, q: Any, qd: Any, qdd: Any, *others: Any
) -> tuple[Any, Any, Any, Any]:
    """Return second derivatives of weighted joint forces, shape (states, n, n) each.

    The four blocks are the derivatives by q and q, q and qd, q and qdd, qd and qd, with n joint
    velocities qd. The blocks are differences of first derivatives, which complex steps yield.

    `others` contains the external wrench, if any, and the weights of the joint forces, shape
    (states, n).
    """
    *wrench, weights = others
    step, units, rest = 1e-30, reference.units, reference.make_rest(q)

    def forces(*motion: Any, gravity: bool = False) -> Any:
        """Return the weighted sum of joint forces; `motion` has q, qd, qdd and any wrench."""
        computed = reference.compute_inverse_dynamics(*motion, gravity=gravity)
        return np.sum(weights * computed, axis=-1)

    def by_positions(q: Any, *motion: Any, gravity: bool = False) -> Any:
        """Return the derivatives of the weighted sum of forces by small motions of the joints.

        `motion` contains qd, qdd, and the external wrench, if any.
        """
        moved = (
            forces(reference.move(q, 1j * step * unit), *motion, gravity=gravity).imag / step
            for unit in units
        )
        return np.stack(list(moved), axis=-1)

    def by_velocities(q: Any) -> Any:
        """Return the derivatives of the weighted sum of joint forces by qd, shape (states, n)."""
        faster = (forces(q, qd + 1j * step * unit, rest).imag / step for unit in units)
        return np.stack(list(faster), axis=-1)

    def differentiate(function: Any, unit: Any) -> Any:
        """Return the derivative of `function` by a small motion in the direction of `unit`."""
        difference = _choose_difference(reference, int(np.argmax(unit)))
        return sum(
            weight
            * (
                function(reference.integrate(q, place * difference.step * unit + rest))
                - function(reference.integrate(q, -place * difference.step * unit + rest))
            )
            for place, weight in enumerate(difference.weights, start=1)
        )

    by_q, by_q_then_qd, by_qd_then_q, by_q_qdd, by_qd = [], [], [], [], []
    for unit in units:
        by_q.append(differentiate(lambda q: by_positions(q, qd, qdd, *wrench, gravity=True), unit))
        by_q_then_qd.append(differentiate(by_velocities, unit))
        faster = by_positions(q, qd + unit, rest) - by_positions(q, qd - unit, rest)
        by_qd_then_q.append(faster / 2)
        by_q_qdd.append(by_positions(q, rest, unit + rest))
        quotients = [
            (forces(q, unit + other + rest, rest) - forces(q, unit - other + rest, rest)) / 2
            for other in units
        ]
        by_qd.append(np.stack(quotients, axis=-1))
    # Entry [i][j] of `twice` has the complex step of entry i. Parents come before children in v.
    # The complex step of the joint nearer to the tips excludes rounding errors of heavy bodies
    # that this joint does not carry.
    twice = np.stack(by_q, axis=-1)
    symmetric = np.tril(twice) + np.swapaxes(np.tril(twice, -1), -1, -2)
    for _, moved in reference.coordinates.turning_joints:
        # Motions of such a joint do not commute: the mean of both orders belongs to exp(e).
        block = (..., moved, moved)
        symmetric[block] = (twice[block] + np.swapaxes(twice[block], -1, -2)) / 2
    return (
        symmetric,
        # Rows are by q.
        np.triu(np.stack(by_q_then_qd, axis=-2)) + np.tril(np.stack(by_qd_then_q, axis=-1), -1),
        np.stack(by_q_qdd, axis=-1),
        np.stack(by_qd, axis=-1),
    )


def _scale_inverse_blocks(
    reference: Any, q: Any, qd: Any, qdd: Any, *others: Any
) -> tuple[Any, Any, Any, Any]:
    """Return, for each second derivative, an upper bound of the sum of its terms' magnitudes.

    These are the second derivatives of a weighted sum of joint forces by q and q, q and qd, q and
    qdd, qd and qd.
    """
    *wrench, weights = others
    weights = np.abs(weights)[..., None]
    rest = reference.make_rest(q)

    def scale(q: Any, qd: Any, qdd: Any, *wrench: Any) -> Any:
        """Return bounds for the derivatives of the weighted sum of joint forces by q.

        Each result is an upper bound of the sum of the absolute values of a derivative's terms.
        """
        by_position, *_ = compute_inverse_dynamics_magnitudes(reference, q, qd, qdd, *wrench)
        return np.sum(weights * by_position, axis=-2)

    here = scale(q, np.abs(qd), rest)
    by_q, by_q_qd, by_q_qdd, by_qd = [], [], [], []
    for unit in reference.units:
        step = reference.coordinates.compute_step(unit)
        by_q.append(
            np.maximum(scale(q + step, qd, qdd, *wrench), scale(q - step, qd, qdd, *wrench))
        )
        by_q_qd.append(scale(q, np.abs(qd) + unit, rest) - here)
        by_q_qdd.append(scale(q, rest, unit + rest))
        terms = [
            np.sum(
                weights[..., 0]
                * reference.magnitudes.compute_inverse_dynamics(
                    q, unit + other + rest, rest, gravity=False
                ),
                axis=-1,
            )
            for other in reference.units
        ]
        by_qd.append(np.stack(terms, axis=-1))
    stacked = [np.stack(each, axis=-1) for each in (by_q, by_q_qd, by_q_qdd, by_qd)]
    return stacked[0], stacked[1], stacked[2], stacked[3]


def _assemble(by_q: Any, by_q_qd: Any, by_q_last: Any, by_qd: Any) -> Any:
    """Return the symmetric Hessian by q, qd and a third variable (qdd or tau) from its blocks.

    `by_q_last` is the block by q and the third variable. The blocks without an argument are zero.
    """
    zero = np.zeros_like(by_q)
    return np.concatenate(
        [
            np.concatenate([by_q, by_q_qd, by_q_last], axis=-1),
            np.concatenate([np.swapaxes(by_q_qd, -1, -2), by_qd, zero], axis=-1),
            np.concatenate([np.swapaxes(by_q_last, -1, -2), zero, zero], axis=-1),
        ],
        axis=-2,
    )


def _evaluate_inverse(blocks: Any, reference: Any, *inputs: Any) -> tuple[Any]:
    return (_assemble(*blocks(reference, *inputs)),)


def _expect_forward(reference: Any, q: Any, qd: Any, tau: Any, *others: Any) -> tuple[Any]:
    """Return the expected Hessian of weighted accelerations, from derivatives of inverse dynamics.

    The Hessian is -(A + B D + (B D)^T) with D = dqdd/d(q, qd, tau). The matrix A contains the
    second derivatives of y^T ID by (q, qd, tau), and B the mixed second derivatives by (q, qd, tau)
    and qdd. ID is inverse dynamics, and y = M^-1 l with the mass matrix M and the weights l of the
    accelerations.
    """
    *wrench, weights = others
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, q, qd, tau, *wrench)
    matrices = FORWARD_DYNAMICS_DERIVATIVES.expected_results.outputs(
        reference, q, qd, tau, *wrench
    )[:3]
    multiplied = (matrices[2] @ weights[..., None])[..., 0]
    blocks = _expect_inverse_blocks(reference, q, qd, qdd, *wrench, multiplied)
    return (-_combine(blocks, matrices),)


def _combine(blocks: Any, matrices: Any) -> Any:
    """Return A + B D + (B D)^T, the negative Hessian of weighted accelerations.

    The three `matrices` form D = dqdd/d(q, qd, tau). A and B consist of `blocks`, the second
    derivatives of weighted joint forces by q and q, q and qd, q and qdd, qd and qd.
    """
    by_q, by_q_qd, by_q_qdd, by_qd = blocks
    mixed = by_q_qdd @ np.concatenate(matrices, axis=-1)
    size, whole = by_q.shape[-1], np.zeros((*by_q.shape[:-2], 3 * by_q.shape[-1], mixed.shape[-1]))
    whole[..., :size, :] = mixed
    zero = np.zeros_like(by_q)
    return _assemble(by_q, by_q_qd, zero, by_qd) + whole + np.swapaxes(whole, -1, -2)


def _scale_forward(reference: Any, q: Any, qd: Any, tau: Any, *others: Any) -> tuple[Any]:
    """Return magnitudes to which rounding errors of the Hessian are proportional.

    The Hessian is that of a weighted sum of joint accelerations. `others` contains external forces,
    if any, then the weights.
    """
    *wrench, weights = others
    (qdd,) = FORWARD_DYNAMICS.expected_results.compute_scales(reference, q, qd, tau, *wrench)
    matrices = FORWARD_DYNAMICS_DERIVATIVES.expected_results.compute_scales(
        reference, q, qd, tau, *wrench
    )[:3]
    multiplied = (matrices[2] @ np.abs(weights)[..., None])[..., 0]
    return (_combine(_scale_inverse_blocks(reference, q, qd, qdd, *wrench, multiplied), matrices),)


INVERSE_DYNAMICS_HESSIAN = DynamicsFunction(
    name="inverse_dynamics_hessian",
    formula="H = second derivatives of multiplier^T tau by (q, qd, qdd)",
    inputs=add_inputs(INVERSE_DYNAMICS, _make_multiplier(INVERSE_DYNAMICS_VJP)),
    outputs=make_hessian("q", "qd", "qdd"),
    methods={
        method: partial(
            _record,
            ("q", "qd", "qdd"),
            (("qd", "qdd"), ("qdd", "qdd")),
            record_inverse_weighted,
            lower,
        )
        for method, lower in (("outward", True), ("inward", False))
    },
    expected_results=ExpectedResults(
        partial(_evaluate_inverse, _expect_inverse_blocks),
        magnitudes=partial(_evaluate_inverse, _scale_inverse_blocks),
    ),
    availability=Availability(on_request=True),
)

FORWARD_DYNAMICS_HESSIAN = DynamicsFunction(
    name="forward_dynamics_hessian",
    formula="H = second derivatives of multiplier^T qdd by (q, qd, tau)",
    inputs=add_inputs(FORWARD_DYNAMICS, _make_multiplier(FORWARD_DYNAMICS_VJP)),
    outputs=make_hessian("q", "qd", "tau"),
    methods={
        name: partial(
            _record,
            ("q", "qd", "tau"),
            (("tau", "tau"), ("qd", "tau")),
            partial(record_forward_weighted, name),
            True,
        )
        for name in FORWARD_DYNAMICS.methods
    },
    expected_results=ExpectedResults(
        _expect_forward,
        magnitudes=_scale_forward,
        defined=ignore_last_inputs(1, FORWARD_DYNAMICS_DERIVATIVES.expected_results.defined),
        solvable=ignore_last_inputs(1, FORWARD_DYNAMICS_DERIVATIVES.expected_results.solvable),
    ),
    availability=replace(
        FORWARD_DYNAMICS.availability,
        on_request=True,
        with_loops=False,
    ),
)
