"""Friction in a regression: the parameters of each joint's friction, and the columns of the regressor that they belong to.

The laws are those of descriptions (`friction:` of a link), so that what is identified can be written there:

    viscous     fv qd
    coulomb     fc s                            s = sign(qd), or what the description puts in its place (sign: tanh, linear)
    asymmetric  fc+ max(s, 0) + fc- min(s, 0)   instead of coulomb
    offset      f0                              of one joint, always there
    stribeck    fs s e + fc s (1 - e)           e = exp(-(qd / vs)^2): fs static friction, vs the Stribeck velocity
    load        eta' s |p| (1/(1 - eta') if s p > 0 else 1)   p: what the transmission gives, 1 - eta' its efficiency

All but the Stribeck velocity and the load enter linearly; these two are the shape of the columns (`FrictionShape`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dynagen.description.description import LinkDescription
from dynagen.errors import UsageError, did_you_mean
from dynagen.identification.logs.low_pass import step_response
from dynagen.identification.samples import Array

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
            raise UsageError(f"friction: there is no law `{law}`{did_you_mean(law, LAWS)}; there are {', '.join(LAWS)}")
    if "asymmetric" in laws and "offset" in laws:
        raise UsageError("friction: asymmetric and offset say the same, but for a joint that stands: take one of them")
    dry = "coulomb" in laws or "asymmetric" in laws
    if "stribeck" in laws and not dry:
        raise UsageError("friction: stribeck is between static and Coulomb friction: add coulomb or asymmetric")
    return tuple(law for law in LAWS if law in laws and not (law == "coulomb" and "asymmetric" in laws))


def friction_parameters(link: LinkDescription, joint: int, laws: Sequence[str]) -> tuple[Parameter, ...]:
    """The parameters of one joint, in the order of its columns."""
    friction, force = link.friction, link.joint.type.force_unit
    viscous_unit = "N m s/rad" if link.joint.angular else "N s/m"
    coulomb = 0.0 if friction is None else float(friction.coulomb)
    backward = coulomb if friction is None or friction.coulomb_negative is None else float(friction.coulomb_negative)
    static = (coulomb + backward) / 2 if friction is None or friction.stribeck is None else float(friction.stribeck.static)
    known = {
        "viscous": (viscous_unit, 0.0 if friction is None else float(friction.viscous)),
        "coulomb": (force, coulomb),
        "coulomb_negative": (force, backward),
        "offset": (force, 0.0 if friction is None else float(friction.offset)),
        "static": (force, static),
        "loss": ("", described_loss(link)),
    }
    named = {"asymmetric": ("coulomb", "coulomb_negative"), "stribeck": ("static",), "load": ("loss",)}
    names = [name for law in laws for name in named.get(law, (law,))]
    return tuple(Parameter(f"{link.name}.{name}", *known[name], joint, "friction") for name in names)


def described_loss(link: LinkDescription) -> float:
    """Part of the power that the description's transmission loses at its rated load; 0 without one."""
    if link.friction is None or link.friction.transmission is None:
        return 0.0
    return 1 - float(link.friction.transmission.efficiency[-1][1])


def direction(link: LinkDescription, rate: Array, acceleration: Array, cutoff: float | None) -> Array:
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
