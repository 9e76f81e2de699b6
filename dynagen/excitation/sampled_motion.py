"""Sampled motion: regressors and joint forces along a motion, and how they change with it, on compiled functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynagen.api import AnyRobot, as_description
from dynagen.compiling import compile_ufuncs
from dynagen.description.description import RobotDescription
from dynagen.description.substitution import substitute
from dynagen.generation import Settings
from dynagen.identification.regression import require_fixed_base
from dynagen.identification.samples import Array
from dynagen.ufuncs.ufunc import Ufunc

_ANGLE = 1e-5  # rad or m: positions' difference quotients are right to about its square
_KNOTS = 65


@dataclass(frozen=True)
class MovingRobot:
    """A robot that trajectories are sought for.

    Attributes:
        robot: its description, without run-time parameters.
        base_regressor, inverse_dynamics: compiled.
        friction_forces: compiled; None if the description has no friction.
    """

    robot: RobotDescription
    base_regressor: Ufunc
    inverse_dynamics: Ufunc
    friction_forces: Ufunc | None

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of q."""
        return tuple(link.joint_name for link in self.robot.links if link.joint.nv)

    def friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Friction of states of shape (times, n)."""
        if self.friction_forces is None:
            return np.zeros_like(qd)
        forces: Array = self.friction_forces(*((qd,) if self.friction_forces.nin == 1 else (q, qd, qdd)))
        return forces

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """What the motors give along a motion, friction included, shape (times, n)."""
        return np.asarray(self.inverse_dynamics(q, qd, qdd) + self.friction(q, qd, qdd))

    def changes(self, function: Ufunc, q: Array, qd: Array, qdd: Array) -> Array:
        """Derivatives of a function's result by q, qd and qdd, shape (3, n, times, ...).

        Regressors and forces are linear in qdd and quadratic in qd, so that differences give these derivatives exactly,
        whatever the step; only those by positions are approximate, to ten digits.
        """
        count = q.shape[1]
        steps = np.zeros((3, 3 * count, 1, count))
        for which in range(3):
            steps[which, which * count : (which + 1) * count, 0] = np.eye(count)
        steps[0] *= _ANGLE
        sides = [function(q + sign * steps[0], qd + sign * steps[1], qdd + sign * steps[2]) for sign in (1, -1)]
        found = (sides[0] - sides[1]) / 2
        found[:count] /= _ANGLE
        changes: Array = found.reshape(3, count, *found.shape[1:])
        return changes

    def friction_bound(self, velocity: Array) -> tuple[Array, Array]:
        """Friction's magnitude over the rate's, in either direction and without load.

        Args:
            velocity: the limit of each joint's rate, shape (n,).

        Returns:
            Rates and magnitudes, shape (knots, n) each, between which it is taken to be straight.
        """
        rates = np.linspace(0, 1, _KNOTS)[:, None] * velocity
        rates[0] = 1e-9 * velocity  # on the move
        rest = np.zeros_like(rates)
        return rates, np.maximum(*(np.abs(self.friction(rest, sign * rates, rest)) for sign in (1, -1)))


def moving_robot(robot: AnyRobot) -> MovingRobot:
    """A robot, compiled and proved; run-time parameters have their defaults, and there is no payload.

    Raises:
        UsageError: the base floats, or there are no base parameters.
    """
    described = as_description(robot)
    require_fixed_base(described)
    numeric = replace(substitute(described, {}), parameters=(), payload=(), external_wrenches=())
    names = ["base_regressor", "inverse_dynamics"]
    if any(link.friction is not None for link in numeric.links):
        names.append("friction_forces")
    functions = compile_ufuncs(numeric, Settings(functions=tuple(names)))
    return MovingRobot(numeric, functions["base_regressor"], functions["inverse_dynamics"], functions.get("friction_forces"))
