"""Regression: joint forces as linear functions of inertial and friction parameters, and predictions.

Friction in a regression: the parameters of each joint's friction, and the columns of the regressor that they belong to.

The laws are those of descriptions (`friction:` of a link), so that what is identified can be written there:

    viscous     fv qd
    coulomb     fc s                            s = sign(qd), or what the description puts in its place (sign: tanh, linear)
    asymmetric  fc+ max(s, 0) + fc- min(s, 0)   instead of coulomb
    offset      f0                              of one joint, always there
    stribeck    fs s e + fc s (1 - e)           e = exp(-(qd / vs)^2): fs static friction, vs the Stribeck velocity
    load        eta' s |p| (1/(1 - eta') if s p > 0 else 1)   p: what the transmission gives, 1 - eta' its efficiency

All but the Stribeck velocity and the load enter linearly; these two are the shape of the columns (`FrictionShape`).

Regression: how joint forces depend on a robot's parameters, tau + tau_f = Y(q, qd, qdd) pi.

Inertial parameters come first: the base parameters, motor inertias among them, whose columns are generated, compiled and
proved (`base_regressor`). Then friction by joint, a column for each number of its law, computed here.

Prediction: joint forces as parameters give them, beside what was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dynagen.apps.identification.filtering import step_response
from dynagen.apps.identification.link_parameters import link_parameters
from dynagen.apps.identification.samples import Array, Samples
from dynagen.dynamics.arguments import base_vector
from dynagen.errors import UsageError, did_you_mean
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.model.base_parameters import base_parameters, base_unavailable_because
from dynagen.robot.model.model import build_model
from dynagen.robot.model.regrouping import MOTOR_INERTIA
from dynagen.runtime.api import AnyRobot, as_description, compile
from dynagen.runtime.ufuncs import Ufunc

__all__ = ["Parameter", "RegressionModel", "regression_model"]

LAWS = ("viscous", "coulomb", "asymmetric", "offset", "stribeck", "load")
DEFAULT_LAWS = ("viscous", "coulomb")


@dataclass(frozen=True)
class Parameter:
    """A number that is estimated, one column of the regressor.

    Attributes:
        name: as `forearm.JzzR` or `forearm.viscous`.
        unit: SI.
        described: its value in the robot's description.
        joint: number of the joint that it is the friction of, from 0; None for inertial parameters.
    """

    name: str
    unit: str
    described: float
    joint: int | None
    kind: Literal["inertial", "friction"]


@dataclass(frozen=True)
class FrictionShape:
    """What friction depends on in another way than linearly.

    Attributes:
        stribeck_velocity: of each joint in rad/s or m/s, shape (n,).
        loss: part of each transmission's power that is lost, shape (n,).
        loads: values of the regression's parameters that transmissions' loads are computed with, but for `load` itself, which
            is zero in it, shape (p,).
        cutoff: of the low-pass that motion and forces have gone through, Hz; None: of none.
    """

    stribeck_velocity: Array
    loss: Array
    loads: Array
    cutoff: float | None = None


def check_laws(laws: Sequence[str]) -> tuple[str, ...]:
    """The laws in their order.

    Raises:
        UsageError: one is unknown, or two say the same.
    """
    for law in laws:
        if law not in LAWS:
            raise UsageError(
                f"friction: there is no law `{law}`{did_you_mean(law, LAWS)}; there are {', '.join(LAWS)}"
            )
    if "asymmetric" in laws and "offset" in laws:
        raise UsageError(
            "friction: asymmetric and offset say the same, but for a joint that stands: take one of them"
        )
    dry = "coulomb" in laws or "asymmetric" in laws
    if "stribeck" in laws and not dry:
        raise UsageError(
            "friction: stribeck is between static and Coulomb friction: add coulomb or asymmetric"
        )
    return tuple(
        law for law in LAWS if law in laws and not (law == "coulomb" and "asymmetric" in laws)
    )


def friction_parameters(
    link: LinkDescription, joint: int, laws: Sequence[str]
) -> tuple[Parameter, ...]:
    """The parameters of one joint, in the order of its columns."""
    friction, force = link.friction, link.joint.type.force_unit
    viscous_unit = "N m s/rad" if link.joint.angular else "N s/m"
    coulomb = 0.0 if friction is None else float(friction.coulomb)
    backward = (
        coulomb
        if friction is None or friction.coulomb_negative is None
        else float(friction.coulomb_negative)
    )
    static = (
        (coulomb + backward) / 2
        if friction is None or friction.stribeck is None
        else float(friction.stribeck.static)
    )
    known = {
        "viscous": (viscous_unit, 0.0 if friction is None else float(friction.viscous)),
        "coulomb": (force, coulomb),
        "coulomb_negative": (force, backward),
        "offset": (force, 0.0 if friction is None else float(friction.offset)),
        "static": (force, static),
        "loss": ("", described_loss(link)),
    }
    named = {
        "asymmetric": ("coulomb", "coulomb_negative"),
        "stribeck": ("static",),
        "load": ("loss",),
    }
    names = [name for law in laws for name in named.get(law, (law,))]
    return tuple(
        Parameter(f"{link.name}.{name}", *known[name], joint, "friction") for name in names
    )


def described_loss(link: LinkDescription) -> float:
    """Part of the power that the description's transmission loses at its rated load; 0 without one."""
    if link.friction is None or link.friction.transmission is None:
        return 0.0
    return 1 - float(link.friction.transmission.efficiency[-1][1])


def direction(
    link: LinkDescription, rate: Array, acceleration: Array, cutoff: float | None
) -> Array:
    """The sign of a joint's rate, or what the description puts in its place near rest.

    Forces that were filtered do not jump where a joint reverses: the sign goes through the same filter. Near a reversal the
    rate is the acceleration times the time since, so that rate and acceleration tell what the filter makes of the jump.
    """
    friction = link.friction
    if friction is None or friction.sign == "exact":
        if cutoff is None:
            return np.sign(rate)
        steady = np.where(acceleration == 0, 1e-300, np.abs(acceleration))
        since = np.clip(np.abs(rate) * cutoff / steady, 0.0, step_response()[0][-1])
        return np.sign(rate) * np.interp(since, *step_response())
    scaled = rate / float(friction.width)
    return np.tanh(scaled) if friction.sign == "tanh" else np.clip(scaled, -1.0, 1.0)


def friction_columns(
    laws: Sequence[str], sign: Array, rate: Array, velocity: float, loss: float, load: Array | None
) -> list[Array]:
    """The columns of one joint, in the order of its parameters, shape (...) each.

    Args:
        laws: checked.
        sign: of the rate, shape (...).
        rate: in rad/s or m/s, likewise.
        velocity: of Stribeck friction.
        loss: that the column of the load is computed with.
        load: that the transmission gives, in N m or N; None: no column asks.
    """
    static = np.exp(-((rate / velocity) ** 2)) if "stribeck" in laws else np.zeros_like(rate)
    columns = {
        "viscous": [rate],
        "coulomb": [sign * (1 - static)],
        "asymmetric": [np.maximum(sign, 0) * (1 - static), np.minimum(sign, 0) * (1 - static)],
        "offset": [np.ones_like(rate)],
        "stribeck": [sign * static],
    }
    if load is not None:
        drives = (1 + sign * np.sign(load)) / 2
        columns["load"] = [sign * np.abs(load) * (drives / (1 - loss) + 1 - drives)]
    return [column for law in laws for column in columns[law]]


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
                laws,
                direction(link, rate, qdd[..., joint], shape.cutoff),
                rate,
                velocity,
                loss,
                carried,
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
        kept = [
            loads[width + joint * own + number]
            for joint in range(len(self.joints))
            for number in range(own - 1)
        ]
        load = inertial @ loads[:width] + self._friction(qd, qdd, laws, None) @ np.array(kept)
        names = self.base_regressor.outputs[0].columns
        for joint, link in enumerate(self.joints):
            motor = f"{link.name}.{MOTOR_INERTIA}"  # where regrouping took it into the links' inertia, the description says it
            load[..., joint] -= qdd[..., joint] * (
                loads[names.index(motor)] if motor in names else float(link.motor_inertia)
            )
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
    robot: RobotDescription,
    inertial: Sequence[Parameter],
    base_regressor: Ufunc,
    laws: tuple[str, ...],
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
    loads = np.array(
        [0.0 if each.name.endswith(".loss") else each.described for each in parameters]
    )
    shape = FrictionShape(
        np.array(velocities), np.array([described_loss(link) for link in links]), loads
    )
    return RegressionModel(
        robot, parameters, base_regressor, laws, shape, tuple(range(len(parameters)))
    )


ABOVE_100 = (
    "Above 100 %, described forces miss the measured ones by more than zero would: the masses or the friction of the "
    "description are far off, or the units or gains of the log."
)
"""What a description's residual of more than 100 % means."""


@dataclass(frozen=True)
class Prediction:
    """Forces of one log.

    Attributes:
        samples: measured.
        predicted: by the estimate, N m or N, shape (count, n).
        described: by the description alone, its friction included, likewise.
    """

    samples: Samples
    predicted: Array
    described: Array

    @property
    def residual(self) -> Array:
        """What the prediction leaves, shape (count, n)."""
        return self.samples.tau - self.predicted

    @property
    def relative_residual_percent(self) -> Array:
        """Norm of each joint's residual by the norm of its measured force, shape (n,)."""
        return _percent(self.residual, self.samples.tau)

    @property
    def described_residual_percent(self) -> Array:
        """The same of the description."""
        return _percent(self.samples.tau - self.described, self.samples.tau)


def above_100(predictions: Sequence[Prediction]) -> str:
    """What a description's residual of more than 100 % means; empty where none has one with the digit that is printed."""
    return (
        ABOVE_100
        if any((each.described_residual_percent.round(1) > 100).any() for each in predictions)
        else ""
    )


def predict(
    model: RegressionModel, values: Array, every: RegressionModel, samples: Samples
) -> Prediction:
    """Predict the forces of a log.

    Args:
        model: with the estimate's parameters.
        values: theirs.
        every: the model with all parameters, for the description's forces.
        samples: the log.
    """
    return Prediction(
        samples, _forces(model, samples, values), _forces(every, samples, every.described)
    )


def _forces(model: RegressionModel, samples: Samples, values: Array) -> Array:
    """The forces of samples, whose regressor is in memory in pieces; shape (count, n)."""
    return np.concatenate(
        [model.columns(each.q, each.qd, each.qdd) @ values for each in samples.pieces()]
    )


def _percent(left: Array, measured: Array) -> Array:
    norms = np.linalg.norm(measured, axis=0)
    return np.asarray(100 * np.linalg.norm(left, axis=0) / np.where(norms > 0, norms, np.inf))
