"""Regression: how joint forces depend on a robot's parameters, tau + tau_f = Y(q, qd, qdd) pi.

Inertial parameters come first: the base parameters, motor inertias among them, whose columns are generated, compiled and
proved (`base_regressor`). Then friction by joint, a column for each number of its law, computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.api import AnyRobot, as_description, compile
from dynagen.description.description import LinkDescription, RobotDescription
from dynagen.dynamics.inertial_arguments import base_vector
from dynagen.errors import UsageError
from dynagen.identification.friction_columns import (
    DEFAULT_LAWS,
    FrictionShape,
    Parameter,
    check_laws,
    described_loss,
    direction,
    friction_columns,
    friction_parameters,
)
from dynagen.identification.links.link_parameters import link_parameters
from dynagen.identification.samples import Array
from dynagen.model.base_parameters import base_parameters, base_unavailable_because
from dynagen.model.model import build_model
from dynagen.model.regrouping import MOTOR_INERTIA
from dynagen.ufuncs.ufunc import Ufunc

__all__ = ["Parameter", "RegressionModel", "regression_model"]

_STRIBECK_VELOCITY = 0.1  # rad/s or m/s, where a search for it starts


@dataclass(frozen=True)
class RegressionModel:
    """A robot's regressor.

    Attributes:
        robot: its description.
        parameters: what its columns belong to, p of them.
        base_regressor: compiled: q, qd, qdd -> the columns of inertial parameters.
        laws: of friction.
        shape: of the friction's columns.
        chosen: positions of the parameters among all of the robot's.
    """

    robot: RobotDescription
    parameters: tuple[Parameter, ...]
    base_regressor: Ufunc
    laws: tuple[str, ...]
    shape: FrictionShape
    chosen: tuple[int, ...]

    @property
    def joints(self) -> tuple[LinkDescription, ...]:
        """The links that joints move, in the order of q."""
        return tuple(link for link in self.robot.links if link.joint.nv)

    @property
    def described(self) -> Array:
        """The parameters' values in the description, shape (p,)."""
        return np.array([each.described for each in self.parameters])

    def columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The regressor Y of motions of shape (..., n), shape (..., n, p)."""
        inertial = self.base_regressor(q, qd, qdd)
        load = self._load(inertial, qd, qdd) if "load" in self.laws else None
        every = np.concatenate([inertial, self._friction(qd, qdd, self.laws, load)], axis=-1)
        return every if len(self.chosen) == every.shape[-1] else every[..., self.chosen]

    def restricted(self, indices: Sequence[int]) -> RegressionModel:
        """The regressor of some of the parameters; the others are zero."""
        return replace(
            self,
            parameters=tuple(self.parameters[index] for index in indices),
            chosen=tuple(self.chosen[index] for index in indices),
        )

    def with_friction(self, laws: Sequence[str]) -> RegressionModel:
        """All of the robot's parameters with other laws of friction; nothing is compiled again.

        Raises:
            UsageError: laws are unknown, or two say the same.
        """
        inertial = [each for each in self.parameters if each.kind == "inertial"]
        return _with_laws(self.robot, inertial, self.base_regressor, check_laws(laws))

    def filtered(self, cutoff: float) -> RegressionModel:
        """The regressor of motion that has gone through a low-pass, for forces that have gone through it too."""
        return replace(self, shape=replace(self.shape, cutoff=cutoff))

    def _friction(self, qd: Array, qdd: Array, laws: Sequence[str], load: Array | None) -> Array:
        """The columns of all joints' friction, shape (..., n, friction parameters)."""
        blocks = []
        for joint, link in enumerate(self.joints):
            rate, shape = qd[..., joint], self.shape
            velocity, loss = float(shape.stribeck_velocity[joint]), float(shape.loss[joint])
            carried = None if load is None else load[..., joint]
            columns = friction_columns(
                laws, direction(link, rate, qdd[..., joint], shape.cutoff), rate, velocity, loss, carried
            )
            block = np.zeros((*qd.shape, len(columns)))
            block[..., joint, :] = np.stack(columns, axis=-1) if columns else 0.0
            blocks.append(block)
        return np.concatenate(blocks, axis=-1)

    def _load(self, inertial: Array, qd: Array, qdd: Array) -> Array:
        """What each transmission gives to the link and its bearings, without its motor's inertia, shape (..., n)."""
        laws = tuple(law for law in self.laws if law != "load")
        width, loads = inertial.shape[-1], self.shape.loads
        own = friction_columns_per_joint(self.laws)
        kept = [loads[width + joint * own + number] for joint in range(len(self.joints)) for number in range(own - 1)]
        load = inertial @ loads[:width] + self._friction(qd, qdd, laws, None) @ np.array(kept)
        names = self.base_regressor.outputs[0].columns
        for joint, link in enumerate(self.joints):
            motor = f"{link.name}.{MOTOR_INERTIA}"  # where regrouping took it into the links' inertia, the description says it
            load[..., joint] -= qdd[..., joint] * (loads[names.index(motor)] if motor in names else float(link.motor_inertia))
        return np.asarray(load)


def friction_columns_per_joint(laws: Sequence[str]) -> int:
    """The number of friction parameters of a joint."""
    return len(laws) + ("asymmetric" in laws)


def require_fixed_base(robot: RobotDescription) -> None:
    """Ask for a base that does not float.

    Raises:
        UsageError: it does.
    """
    if any(link.joint.type.is_free for link in robot.links):
        raise UsageError(
            f"{robot.name}: identification is for robots whose base is fixed: no log of joints has the motion of a base, "
            "and the forces on it. Remove `floating`"
        )


def regression_model(robot: AnyRobot, friction: Sequence[str] = DEFAULT_LAWS) -> RegressionModel:
    """The regressor of a robot, compiled and proved.

    Args:
        robot: a description, or what `load_robot` takes; its masses may be guesses, its geometry counts.
        friction: laws of all joints: viscous, coulomb, asymmetric, offset, stribeck, load.

    Raises:
        UsageError: the robot has no base parameters, its base floats, or the laws are not.
    """
    robot, laws = as_description(robot), check_laws(friction)
    require_fixed_base(robot)
    model = build_model(robot)
    if reason := base_unavailable_because(model):
        raise UsageError(f"{robot.name}: identification is not available because {reason}")
    described, units = link_parameters(robot).described_base, base_vector(model).units
    names = [each.name for each in base_parameters(model)]
    inertial = tuple(
        Parameter(name, unit, float(value), None, "inertial")
        for name, unit, value in zip(names, units, described, strict=True)
    )
    return _with_laws(robot, inertial, compile(robot, "base_regressor"), laws)


def _with_laws(
    robot: RobotDescription, inertial: Sequence[Parameter], base_regressor: Ufunc, laws: tuple[str, ...]
) -> RegressionModel:
    """A regressor of inertial parameters, with the friction of laws, whose shape is as described."""
    links = [link for link in robot.links if link.joint.nv]
    of_joints = (friction_parameters(link, joint, laws) for joint, link in enumerate(links))
    parameters = (*inertial, *(each for parameters in of_joints for each in parameters))
    velocities = [
        _STRIBECK_VELOCITY
        if link.friction is None or link.friction.stribeck is None
        else float(link.friction.stribeck.velocity)
        for link in links
    ]
    loads = np.array([0.0 if each.name.endswith(".loss") else each.described for each in parameters])
    shape = FrictionShape(np.array(velocities), np.array([described_loss(link) for link in links]), loads)
    return RegressionModel(robot, parameters, base_regressor, laws, shape, tuple(range(len(parameters))))
