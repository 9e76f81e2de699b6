"""Second derivatives of inverse and forward dynamics, contracted with a multiplier.

Solvers with exact Hessians need the second derivatives of l^T tau or l^T qdd with a multiplier l,
not of each joint force alone. They are the tangents of the first derivatives that reverse mode
computes (forward over reverse: A. Griewank, A. Walther, "Evaluating Derivatives", 2nd edition,
2008, section 5.1). The matrices are symmetric, so that only one triangle is computed. tau is linear
in qdd, and M does not depend on qd; qdd is linear in tau. Blocks that are zero for these reasons
cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import pi, sin
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.derivative_products import (
    FORWARD_DYNAMICS_VJP,
    INVERSE_DYNAMICS_VJP,
    add_inputs,
    list_elements,
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
from dynagen.robot.model.model import RobotModel

MULTIPLIER = "multiplier"


def _record(
    names: Sequence[str],
    linear: Sequence[tuple[str, str]],
    record: Callable[[Recording, Sequence[Quantity]], list[list[Quantity]]],
    recording: Recording,
) -> Results:
    """Record the Hessian of a weighted sum.

    Args:
        names: inputs by which the sum is differentiated, in the order of rows and columns.
        linear: pairs of inputs whose second derivatives are zero.
        record: records the derivatives of the weighted sum by these inputs.
        recording: the recording.
    """
    recorder = recording.recorder
    with recorder.memoise():
        gradient = record(recording, recording.add_elements(MULTIPLIER))
    variables = [(name, element) for name in names for element in list_elements(recording, name)]
    derivatives = [each for group in gradient for each in group]
    size, zero, one = len(variables), recording.add_constant(0), recording.add_constant(1)
    matrix = [[zero] * size for _ in variables]
    with recorder.suppress_names():
        for column, (name, element) in enumerate(variables):
            recording.begin_section(f"Second derivatives by {name}[{element.index}]")
            rows = [row for row in range(column, size) if (name, variables[row][0]) not in linear]
            tangents = recorder.record_tangents([derivatives[row] for row in rows], {element: one})
            for row, tangent in zip(rows, tangents, strict=True):
                matrix[row][column] = matrix[column][row] = tangent
    return ([entry for row in matrix for entry in row],)


def _make_hessian(*names: str) -> Arguments:
    """Return a function that makes the Hessian of a weighted sum by inputs for a model."""

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
    """Return a function that makes the multiplier: the weights of results, under its own name."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        weights = of.inputs(model)[-1]
        return (Argument(MULTIPLIER, weights.shape, weights.units, weights.meaning),)

    return arguments


def _unavailable_because(of: DynamicsFunction, model: RobotModel) -> str:
    """Return the reason why a robot has no Hessian, or an empty string."""
    others = [argument.name for argument in of.inputs(model)[3:]]
    if others:
        return f"its derivatives by {' and '.join(others)} are not generated"
    if model.floats:
        return (
            "the orientation of a floating base is not a vector, and second derivatives by it "
            "are not defined here"
        )
    return of.availability.unavailable_because(model)


@dataclass(frozen=True)
class _Difference:
    """A derivative by differences: the sum of w_k (f(x + k h) - f(x - k h)) for k = 1, 2, ...

    Attributes:
        step: h, in rad or m.
        weights: w_k, in 1/rad or 1/m.
    """

    step: float
    weights: tuple[float, ...]


# Joint forces are trigonometric polynomials of second degree in the angle of a joint, as the
# kinetic energy is. Their derivative is the derivative of the polynomial through five states of one
# revolution (L. N. Trefethen, "Spectral Methods in MATLAB", 2000, chapter 3).
_REVOLUTION = _Difference(0.4 * pi, (0.5 / sin(0.2 * pi), -0.5 / sin(0.4 * pi)))
# They are polynomials of second degree in the displacement of a prismatic joint.
_DISPLACEMENT = _Difference(1.0, (0.5,))
# Otherwise: the error is of order h^10 (B. Fornberg, "Generation of Finite Difference Formulas on
# Arbitrarily Spaced Grids", Mathematics of Computation 51, 1988, table 1).
_GENERAL = _Difference(0.04, tuple(w / 0.04 for w in (5 / 6, -5 / 21, 5 / 84, -5 / 504, 1 / 1260)))


def _choose_difference(reference: Any, entry: int) -> _Difference:
    """Return the differences that are exact for the joint of an entry of v, or general ones.

    Joints that others follow, and helical joints, have no exact ones.
    """
    coordinates = reference.coordinates
    moved = [
        (link, coordinates.ratio[link.variable])
        for link in reference.links
        if link.variable is not None and coordinates.index[link.variable] == entry
    ]
    (link, ratio), *others = moved
    if others or abs(ratio) != 1:
        return _GENERAL
    if not link.linear:
        return _REVOLUTION
    return _GENERAL if link.angular else _DISPLACEMENT


def _expect_inverse_blocks(
    reference: Any, q: Any, qd: Any, qdd: Any, weights: Any
) -> tuple[Any, Any, Any, Any]:
    """Return second derivatives of weighted joint forces, shape (states, nv, nv) each.

    They are by q and q, q and qd, q and qdd, qd and qd. First derivatives are complex steps, so
    that rounding comes from the terms with the variable. Second ones by q are differences. Joint
    forces are quadratic in qd and linear in qdd, so that differences by these are exact.

    Args:
        reference: numeric dynamics.
        q: positions.
        qd: velocities.
        qdd: accelerations.
        weights: of the joint forces, shape (states, nv).
    """
    step, units, rest = 1e-30, reference.units, reference.make_rest(q)

    def forces(*motion: Any, gravity: bool = False) -> Any:
        """Return the weighted sum of the joint forces, shape (states,)."""
        computed = reference.compute_inverse_dynamics(*motion, gravity=gravity)
        return np.sum(weights * computed, axis=-1)

    def by_positions(q: Any, *motion: Any, gravity: bool = False) -> Any:
        """Return the derivatives of the weighted sum by q, shape (states, nv)."""
        moved = (
            forces(reference.move(q, 1j * step * unit), *motion, gravity=gravity).imag / step
            for unit in units
        )
        return np.stack(list(moved), axis=-1)

    def by_velocities(q: Any) -> Any:
        """Return the derivatives of the weighted sum by qd, shape (states, nv)."""
        faster = (forces(q, qd + 1j * step * unit, rest).imag / step for unit in units)
        return np.stack(list(faster), axis=-1)

    def differentiate(function: Any, unit: Any) -> Any:
        """Return the derivative of a function of q by one entry."""
        difference = _choose_difference(reference, int(np.argmax(unit)))
        return sum(
            weight
            * (
                function(reference.move(q, place * difference.step * unit))
                - function(reference.move(q, -place * difference.step * unit))
            )
            for place, weight in enumerate(difference.weights, start=1)
        )

    by_q, by_q_qd, by_q_qdd, by_qd = [], [], [], []
    for unit in units:
        by_q.append(differentiate(lambda q: by_positions(q, qd, qdd, gravity=True), unit))
        by_q_qd.append(differentiate(by_velocities, unit))
        by_q_qdd.append(by_positions(q, rest, unit + rest))
        quotients = [
            (forces(q, unit + other + rest, rest) - forces(q, unit - other + rest, rest)) / 2
            for other in units
        ]
        by_qd.append(np.stack(quotients, axis=-1))
    return (
        np.stack(by_q, axis=-1),
        np.stack(by_q_qd, axis=-2),  # rows are by q
        np.stack(by_q_qdd, axis=-1),
        np.stack(by_qd, axis=-1),
    )


def _scale_inverse_blocks(
    reference: Any, q: Any, qd: Any, qdd: Any, weights: Any
) -> tuple[Any, Any, Any, Any]:
    """Return sums of the magnitudes of the terms in `_expect_inverse_blocks`.

    As for first derivatives, the terms of a derivative by a position are no larger than the terms
    after the joint has moved by 1, and the terms of a derivative by a velocity no larger than the
    increase at a velocity larger by 1.
    """
    weights = np.abs(weights)[..., None]
    rest = reference.make_rest(q)

    def scale(q: Any, qd: Any, qdd: Any) -> Any:
        """Return the scale of the derivatives of the weighted sum by q."""
        by_position, _ = compute_inverse_dynamics_magnitudes(reference, q, qd, qdd)
        return np.sum(weights * by_position, axis=-2)

    here = scale(q, np.abs(qd), rest)
    by_q, by_q_qd, by_q_qdd, by_qd = [], [], [], []
    for unit in reference.units:
        step = reference.coordinates.compute_step(unit)
        by_q.append(np.maximum(scale(q + step, qd, qdd), scale(q - step, qd, qdd)))
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
    """Return the symmetric Hessian from its blocks; the other ones are zero."""
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


def _expect_forward(reference: Any, q: Any, qd: Any, tau: Any, weights: Any) -> tuple[Any]:
    """Return the expected Hessian of weighted accelerations, from the Hessian of inverse dynamics.

    Twice differentiating ID(q, qd, qdd) = tau gives the Hessian -(A + B D + (B D)^T), with y = M^-1
    l and D = dqdd/d(q, qd, tau). A and B are the second derivatives of y^T ID by (q, qd, tau), and
    by these and qdd.
    """
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, q, qd, tau)
    matrices = FORWARD_DYNAMICS_DERIVATIVES.expected_results.outputs(reference, q, qd, tau)
    multiplied = (matrices[2] @ weights[..., None])[..., 0]
    blocks = _expect_inverse_blocks(reference, q, qd, qdd, multiplied)
    return (-_combine(blocks, matrices),)


def _combine(blocks: Any, matrices: Any) -> Any:
    """Return A + B D + (B D)^T of `_expect_forward`."""
    by_q, by_q_qd, by_q_qdd, by_qd = blocks
    mixed = by_q_qdd @ np.concatenate(matrices, axis=-1)
    size, whole = by_q.shape[-1], np.zeros((*by_q.shape[:-2], 3 * by_q.shape[-1], mixed.shape[-1]))
    whole[..., :size, :] = mixed
    zero = np.zeros_like(by_q)
    return _assemble(by_q, by_q_qd, zero, by_qd) + whole + np.swapaxes(whole, -1, -2)


def _scale_forward(reference: Any, q: Any, qd: Any, tau: Any, weights: Any) -> tuple[Any]:
    """Return the scale of rounding of the Hessian of weighted accelerations.

    Every factor enters with its own scale: the accelerations, their derivatives, and M^-1 l.
    """
    (qdd,) = FORWARD_DYNAMICS.expected_results.compute_scales(reference, q, qd, tau)
    matrices = FORWARD_DYNAMICS_DERIVATIVES.expected_results.compute_scales(reference, q, qd, tau)
    multiplied = (matrices[2] @ np.abs(weights)[..., None])[..., 0]
    return (_combine(_scale_inverse_blocks(reference, q, qd, qdd, multiplied), matrices),)


def _on_state(function: Any) -> Any:
    """Return a function of the inputs without the multiplier, as one of all inputs."""
    return function and (lambda reference, *inputs: function(reference, *inputs[:-1]))


INVERSE_DYNAMICS_HESSIAN = DynamicsFunction(
    name="inverse_dynamics_hessian",
    formula="H = second derivatives of multiplier^T tau by (q, qd, qdd)",
    inputs=add_inputs(INVERSE_DYNAMICS, _make_multiplier(INVERSE_DYNAMICS_VJP)),
    outputs=_make_hessian("q", "qd", "qdd"),
    methods={
        "": partial(
            _record,
            ("q", "qd", "qdd"),
            (("qd", "qdd"), ("qdd", "qdd")),
            record_inverse_weighted,
        )
    },
    expected_results=ExpectedResults(
        partial(_evaluate_inverse, _expect_inverse_blocks),
        magnitudes=partial(_evaluate_inverse, _scale_inverse_blocks),
    ),
    availability=Availability(partial(_unavailable_because, INVERSE_DYNAMICS), on_request=True),
)

FORWARD_DYNAMICS_HESSIAN = DynamicsFunction(
    name="forward_dynamics_hessian",
    formula="H = second derivatives of multiplier^T qdd by (q, qd, tau)",
    inputs=add_inputs(FORWARD_DYNAMICS, _make_multiplier(FORWARD_DYNAMICS_VJP)),
    outputs=_make_hessian("q", "qd", "tau"),
    methods={
        name: partial(
            _record,
            ("q", "qd", "tau"),
            (("tau", "tau"), ("qd", "tau")),
            partial(record_forward_weighted, name),
        )
        for name in FORWARD_DYNAMICS.methods
    },
    expected_results=ExpectedResults(
        _expect_forward,
        magnitudes=_scale_forward,
        defined=_on_state(FORWARD_DYNAMICS_DERIVATIVES.expected_results.defined),
        solvable=_on_state(FORWARD_DYNAMICS_DERIVATIVES.expected_results.solvable),
    ),
    availability=Availability(
        partial(_unavailable_because, FORWARD_DYNAMICS),
        on_request=True,
        methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
    ),
)
