"""Regressor of joint forces, which are linear in the inertial and friction parameters.

The joint forces, including friction, are tau = Y(q, qd, qdd) pi with the regressor Y and the
parameters pi. The first columns of Y belong to the base parameters, including motor inertias, and
are computed by generated code (`base_regressor`). The last columns of Y belong to friction, joint
by joint, and are computed in this module. The friction laws are those of robot descriptions (key
`friction:` of a link):

    viscous     fv qd
    coulomb     fc s
    asymmetric  fc+ max(s, 0) + fc- min(s, 0)     instead of coulomb
    offset      f0
    stribeck    fs s e + fc s (1 - e)             e = exp(-(qd / vs)^2)
    load        l s |p| (1/(1 - l) if s p > 0 else 1)

Here qd is the joint velocity, s is sign(qd) or the smooth sign of the description (tanh, linear),
fs the static friction, vs the Stribeck velocity, p the transmitted force, and 1 - l the efficiency
of the transmission. fv, fc, fc+, fc- and f0 are constants.

The forces are linear in all parameters except the Stribeck velocity vs and the transmission loss l.
Both are constants of the regressor (`FrictionShape`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dynagen.apps.identification.filtering import compute_step_response
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.dynamics.arguments import make_base_vector
from dynagen.errors import UsageError, suggest_word
from dynagen.numbers.arrays import Array
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.model.base_parameters import explain_unavailable_base, list_base_parameters
from dynagen.robot.model.model import build_model
from dynagen.robot.model.regrouping import MOTOR_INERTIA
from dynagen.runtime.api import AnyRobot, as_description, compile
from dynagen.runtime.ufunc import Ufunc

__all__ = ["Parameter", "RegressionModel", "regression_model"]

LAWS = ("viscous", "coulomb", "asymmetric", "offset", "stribeck", "load")
DEFAULT_LAWS = ("viscous", "coulomb")


@dataclass(frozen=True)
class Parameter:
    """Estimated parameter, which belongs to one column of the regressor.

    Attributes:
        name: for example `forearm.JzzR` or `forearm.viscous`.
        unit: SI unit.
        described: value of the parameter in the robot's description, in this unit.
        joint: number of the joint of a friction parameter, from 0; None for an inertial parameter.
        kind: `inertial` (including motor inertias) or `friction`.
    """

    name: str
    unit: str
    described: float
    joint: int | None
    kind: Literal["inertial", "friction"]


@dataclass(frozen=True)
class FrictionShape:
    """Constants of friction laws, on which the friction forces depend nonlinearly.

    Attributes:
        stribeck_velocity: Stribeck velocity of each of the n joints in rad/s or m/s, shape (n,).
        loss: fraction of the power that each joint's transmission loses, 0 to 1, shape (n,).
        loads: values of the p parameters, shape (p,), from which the forces through the
            transmissions are computed. Only the friction law `load` uses these forces. Entries of
            the loss parameters are zero.
        cutoff: cut-off frequency in Hz of the filter that was applied to motion and forces; None
            for unfiltered data.
    """

    stribeck_velocity: Array
    loss: Array
    loads: Array
    cutoff: float | None = None


def check_laws(laws: Sequence[str]) -> tuple[str, ...]:
    """Check names of friction laws, remove repetitions, and sort the names in the order of LAWS.

    The law `asymmetric` replaces `coulomb`.

    Raises:
        UsageError: a law is unknown, two laws contradict each other, or a law requires another law
            that is missing.
    """
    for law in laws:
        if law not in LAWS:
            raise UsageError(
                f"friction: unknown law `{law}`{suggest_word(law, LAWS)}; "
                f"expected {', '.join(LAWS)}"
            )
    if "asymmetric" in laws and "offset" in laws:
        raise UsageError(
            "friction: asymmetric and offset are equivalent for a moving joint: use one of them"
        )
    dry = "coulomb" in laws or "asymmetric" in laws
    if "stribeck" in laws and not dry:
        raise UsageError(
            "friction: stribeck is a transition from static to Coulomb friction: add coulomb or "
            "asymmetric"
        )
    return tuple(
        law for law in LAWS if law in laws and not (law == "coulomb" and "asymmetric" in laws)
    )


def list_friction_parameters(
    link: LinkDescription, joint: int, laws: Sequence[str]
) -> tuple[Parameter, ...]:
    """Return the friction parameters of one joint, in the order of the regressor's columns.

    Args:
        link: the link that the joint moves, with its described friction.
        joint: number of the joint from 0.
        laws: friction laws in the order that `check_laws` returns.
    """
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
        "loss": ("", get_described_loss(link)),
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


def get_described_loss(link: LinkDescription) -> float:
    """Return the power loss of a link's described transmission at rated load, 0 to 1.

    The loss is 1 minus the efficiency, and 0 without a described transmission.
    """
    if link.friction is None or link.friction.transmission is None:
        return 0.0
    return 1 - float(link.friction.transmission.efficiency[-1][1])


def compute_friction_sign(
    link: LinkDescription, velocity: Array, acceleration: Array, cutoff: float | None
) -> Array:
    """Compute the sign of a joint's velocity for its friction law, possibly smoothed or filtered.

    Motion and forces are filtered before the estimate. Since filtered friction forces do not jump
    when a joint reverses, the sign is filtered too. Near a reversal, the velocity divided by the
    acceleration is the time since the reversal. The filtered sign is the filter's step response at
    this time.

    Args:
        link: the link, whose description may replace the sign by tanh or a linear ramp.
        velocity: velocities in rad/s or m/s, of any shape; the result has this shape, too.
        acceleration: accelerations in rad/s^2 or m/s^2, with the shape of `velocity`.
        cutoff: cut-off frequency of the filter in Hz; None for an unfiltered sign.
    """
    friction = link.friction
    if friction is None or friction.sign == "exact":
        if cutoff is None:
            return np.sign(velocity)
        steady = np.where(acceleration == 0, 1e-300, np.abs(acceleration))
        # Time since the reversal, in periods of the cut-off.
        since = np.clip(np.abs(velocity) * cutoff / steady, 0.0, compute_step_response()[0][-1])
        return np.sign(velocity) * np.interp(since, *compute_step_response())
    scaled = velocity / float(friction.width)
    return np.tanh(scaled) if friction.sign == "tanh" else np.clip(scaled, -1.0, 1.0)


def compute_friction_columns(
    laws: Sequence[str],
    sign: Array,
    velocity: Array,
    stribeck_velocity: float,
    loss: float,
    load: Array | None,
) -> list[Array]:
    """Compute the regressor columns of one joint's friction parameters.

    Args:
        laws: friction laws in the order that `check_laws` returns.
        sign: sign of the velocity from `compute_friction_sign`, of any shape (...).
        velocity: velocity in rad/s or m/s, shape (...).
        stribeck_velocity: Stribeck velocity in rad/s or m/s.
        loss: power loss of the transmission, 0 to 1, for the law `load`.
        load: transmitted force of the transmission, N m or N, shape (...); None without the
            friction law `load`.

    Returns:
        One column of shape (...) for each friction parameter, in the order of `laws`: the friction
        force for a unit value of the parameter.
    """
    static = (
        np.exp(-((velocity / stribeck_velocity) ** 2))
        if "stribeck" in laws
        else np.zeros_like(velocity)
    )
    columns = {
        "viscous": [velocity],
        "coulomb": [sign * (1 - static)],
        "asymmetric": [np.maximum(sign, 0) * (1 - static), np.minimum(sign, 0) * (1 - static)],
        "offset": [np.ones_like(velocity)],
        "stribeck": [sign * static],
    }
    if load is not None:
        # 1 where the motor drives the load, 0 where it brakes, between near a reversal.
        drives = (1 + sign * np.sign(load)) / 2
        columns["load"] = [sign * np.abs(load) * (drives / (1 - loss) + 1 - drives)]
    return [column for law in laws for column in columns[law]]


_STRIBECK_VELOCITY = 0.1  # rad/s or m/s, before the search, without a value in the description


@dataclass(frozen=True)
class RegressionModel:
    """The regressor of a robot with n joints and p parameters.

    Attributes:
        robot: the robot description.
        parameters: the parameter of each column, first inertial, then friction parameters.
        base_regressor: compiled function from q, qd, qdd to the columns of all base parameters.
        laws: names of the friction laws that all joints have.
        shape: Stribeck velocities, transmission losses and other constants of the friction laws.
        chosen: index of each entry of `parameters` among all parameters of the robot.
    """

    robot: RobotDescription
    parameters: tuple[Parameter, ...]
    base_regressor: Ufunc
    laws: tuple[str, ...]
    shape: FrictionShape
    chosen: tuple[int, ...]

    @property
    def joints(self) -> tuple[LinkDescription, ...]:
        """Links with moving joints, in the order of the positions q."""
        return tuple(link for link in self.robot.links if link.joint.nv)

    @property
    def described_values(self) -> Array:
        """Value of each parameter in the robot's description, in SI units."""
        return np.array([parameter.described for parameter in self.parameters])

    def compute_regressor(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute the regressor Y, shape (..., n, p), with the forces tau = Y pi of n joints.

        The joint forces include friction. The vector pi contains the values of the p parameters in
        `parameters`.

        Args:
            q: positions in rad or m, shape (..., n).
            qd: velocities in rad/s or m/s, shape (..., n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (..., n).

        Raises:
            UsageError: the robot's closed loops cannot close at some of the positions.
        """
        inertial = self.base_regressor(q, qd, qdd)
        if isinstance(inertial, tuple):
            inertial, status = inertial
            _require_closed(self.robot.name, q, status)
        load = self._load(inertial, qd, qdd) if "load" in self.laws else None
        every = np.concatenate([inertial, self._friction(qd, qdd, self.laws, load)], axis=-1)
        return every if len(self.chosen) == every.shape[-1] else every[..., self.chosen]

    def restrict(self, indices: Sequence[int]) -> RegressionModel:
        """Return the regressor of the parameters at `indices`, as if all others were zero."""
        return replace(
            self,
            parameters=tuple(self.parameters[index] for index in indices),
            chosen=tuple(self.chosen[index] for index in indices),
        )

    def with_friction(self, laws: Sequence[str]) -> RegressionModel:
        """Return the regressor of all parameters with other friction laws; nothing is compiled.

        Raises:
            UsageError: a law is unknown, or two laws contradict each other.
        """
        inertial = [item for item in self.parameters if item.kind == "inertial"]
        return _set_laws(self.robot, inertial, self.base_regressor, check_laws(laws))

    def filter(self, cutoff: float) -> RegressionModel:
        """Return the regressor for data that passed a low-pass filter with `cutoff` in Hz."""
        return replace(self, shape=replace(self.shape, cutoff=cutoff))

    def _friction(self, qd: Array, qdd: Array, laws: Sequence[str], load: Array | None) -> Array:
        """Compute the regressor's columns of all friction parameters, shape (..., n, columns).

        `load` is the force through each joint's transmission, shape (..., n); None without the law
        `load`.
        """
        blocks = []
        for joint, link in enumerate(self.joints):
            velocity, shape = qd[..., joint], self.shape
            columns = compute_friction_columns(
                laws,
                compute_friction_sign(link, velocity, qdd[..., joint], shape.cutoff),
                velocity,
                float(shape.stribeck_velocity[joint]),
                float(shape.loss[joint]),
                None if load is None else load[..., joint],
            )
            block = np.zeros((*qd.shape, len(columns)))
            block[..., joint, :] = np.stack(columns, axis=-1) if columns else 0.0
            blocks.append(block)
        return np.concatenate(blocks, axis=-1)

    def _load(self, inertial: Array, qd: Array, qdd: Array) -> Array:
        """Compute the force through the transmission of each joint, shape (..., n).

        This is the joint force without the motor's inertial force and without the loss of the
        transmission. `inertial` contains the regressor's columns of inertial parameters.
        """
        laws = tuple(law for law in self.laws if law != "load")
        width, loads = inertial.shape[-1], self.shape.loads
        own = count_friction_columns(self.laws)
        kept = [
            loads[width + joint * own + number]
            for joint in range(len(self.joints))
            for number in range(own - 1)
        ]
        load = inertial @ loads[:width] + self._friction(qd, qdd, laws, None) @ np.array(kept)
        names = self.base_regressor.outputs[0].columns
        for joint, link in enumerate(self.joints):
            # Regrouping may have merged the motor inertia with the link's; then it is as described.
            motor = f"{link.name}.{MOTOR_INERTIA}"
            load[..., joint] -= qdd[..., joint] * (
                loads[names.index(motor)] if motor in names else float(link.motor_inertia)
            )
        return np.asarray(load)


def _require_closed(robot: str, q: Array, status: Array) -> None:
    """Check that all closed loops can close; else report the first position that fails.

    `status` has one entry per position of `q`: 0 if all loops can close at this position.
    """
    if not status.any():
        return
    first = np.flatnonzero(status)[0]
    values = ", ".join(f"{value:.4g}" for value in q.reshape(-1, q.shape[-1])[first])
    raise UsageError(
        f"the closed loops of {robot} cannot close at {np.count_nonzero(status)} of {status.size} "
        f"positions, first at q = {values}: check zeros, signs and units of the positions, and the "
        "lengths of the description"
    )


def count_friction_columns(laws: Sequence[str]) -> int:
    """Return the number of friction parameters of one joint for given friction laws."""
    return len(laws) + ("asymmetric" in laws)


def require_fixed_base(robot: RobotDescription, with_loops: bool = False) -> None:
    """Check that a robot's parameters can be identified from joint logs.

    Args:
        robot: the description.
        with_loops: whether robots with closed loops are accepted.

    Raises:
        UsageError: the base floats, a joint is spherical, or the robot has closed loops without
            `with_loops`.
    """
    joints = (link.joint for link in robot.links)
    refuse_special_joints(robot.name, joints, "identification", with_loops)
    if any(link.joint.type.is_free for link in robot.links):
        raise UsageError(
            f"{robot.name}: identification requires a fixed base, because logs of joints contain "
            "neither the motion of the base nor the forces on it. Remove `floating`"
        )


def regression_model(robot: AnyRobot, friction: Sequence[str] = DEFAULT_LAWS) -> RegressionModel:
    """Return the regressor of a robot's base and friction parameters, compiled and proved.

    Args:
        robot: path of a file, name of a bundled robot, or a `RobotDescription`. The geometry must
            be correct; the masses may be guesses.
        friction: friction laws that all joints have, any of viscous, coulomb, asymmetric, offset,
            stribeck and load.

    Raises:
        UsageError: the robot has no base parameters, its base floats, a joint is spherical, or the
            laws are invalid.
    """
    robot, laws = as_description(robot), check_laws(friction)
    require_fixed_base(robot, with_loops=True)
    model = build_model(robot)
    if reason := explain_unavailable_base(model):
        raise UsageError(f"{robot.name}: identification is not available because {reason}")
    described, units = make_link_parameters(robot).described_base, make_base_vector(model).units
    names = [base.name for base in list_base_parameters(model)]
    inertial = tuple(
        Parameter(name, unit, float(value), None, "inertial")
        for name, unit, value in zip(names, units, described, strict=True)
    )
    return _set_laws(robot, inertial, compile(robot, "base_regressor"), laws)


def _set_laws(
    robot: RobotDescription,
    inertial: Sequence[Parameter],
    base_regressor: Ufunc,
    laws: tuple[str, ...],
) -> RegressionModel:
    """Return a robot's regressor, with Stribeck velocities and transmission losses as described."""
    links = [link for link in robot.links if link.joint.nv]
    friction = (list_friction_parameters(link, joint, laws) for joint, link in enumerate(links))
    parameters = (*inertial, *(parameter for joint in friction for parameter in joint))
    velocities = [
        _STRIBECK_VELOCITY
        if link.friction is None or link.friction.stribeck is None
        else float(link.friction.stribeck.velocity)
        for link in links
    ]
    loads = np.array(
        [0.0 if item.name.endswith(".loss") else item.described for item in parameters]
    )
    shape = FrictionShape(
        np.array(velocities), np.array([get_described_loss(link) for link in links]), loads
    )
    return RegressionModel(
        robot, parameters, base_regressor, laws, shape, tuple(range(len(parameters)))
    )
