"""States for a proof: random states from a seed, and special poses that often reveal mistakes.

The same seed gives the same states on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi

import numpy as np

from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.numbers.parametric import Parameter
from dynagen.robot.description import Limits, LinkDescription, RobotDescription
from dynagen.robot.payload import PAYLOAD_PARAMETERS
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import make_numeric_links
from dynagen.verification.loops import shrink_to_closed
from dynagen.verification.wrenches import list_coordinate_pairs

DEFAULT_COUNT = 1000
DEFAULT_SEED = 20260101
MOST_STATES = 100_000
"""Largest number of states on the command line; more would use gigabytes of memory."""

_PARAMETER_SETS = 5
_LARGE_ANGLE_STATES = 8
_LARGE_ANGLE = 20 * pi

_RANGES = {
    # Half ranges for joints without limits: (revolute, prismatic), in SI units.
    "q": (pi, 1.0),
    "qd": (3.0, 1.0),
    "qdd": (10.0, 5.0),
    "tau": (50.0, 100.0),
}
_FURTHER = {"qd_reference": "qd", "qdd_reference": "qdd", "motion": "qd", "q_next": "q"}
"""For inputs other than q, qd, qdd and tau, the name of the input that has the same ranges.

Each input has a random generator of its own.
"""
# Changes of inputs, and weights of results, for products with derivatives.
_PARAMETER_CHANGES = "dparameters"
_CHANGES = ("dq", "dqd", "dqdd", "dtau")
_WEIGHTS = ("tau_bar", "qdd_bar", "multiplier", "q_next_bar", "qd_next_bar")
_INERTIAL = "pi"  # ten inertial parameters a link and one motor inertia a joint
_WRENCH = "wrench"
_CONTACT_FORCE = "contact_force"
_STEP = "dt"
# Integration steps of usual controllers, s: fast robots stay within the range of double precision.
_STEPS = (1e-4, 2e-3)
_STATE = "state"  # from background to synchronous: entries of the mass matrix, one force a joint


@dataclass(frozen=True)
class States:
    """Sampled values of a function's inputs.

    Attributes:
        seed: seed of the random generator.
        count: number of states.
        inputs: values of each input, shape (count, elements of the input), or (count,) for a
            scalar.
    """

    seed: int
    count: int
    inputs: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.inputs[name]

    def divide(self, parts: int) -> tuple[States, ...]:
        """Return `parts` sets of states; set i contains states i, i + parts, i + 2 parts, ..."""
        dealt = (
            {name: values[part::parts] for name, values in self.inputs.items()}
            for part in range(parts)
        )
        return tuple(
            States(self.seed, len(range(part, self.count, parts)), inputs)
            for part, inputs in enumerate(dealt)
        )

    def select(self, chosen: Array) -> States:
        """Return the states with a true entry in the boolean array `chosen`, shape (count,)."""
        return States(
            self.seed,
            int(np.sum(chosen)),
            {name: values[chosen] for name, values in self.inputs.items()},
        )


def sample_states(
    description: RobotDescription,
    inputs: tuple[str, ...] = ("q", "qd", "qdd"),
    count: int = DEFAULT_COUNT,
    seed: int = DEFAULT_SEED,
    sizes: Mapping[str, int] | None = None,
) -> States:
    """Sample states for a proof: special poses, then states uniform within the joint limits.

    The special poses are, in this order: all values zero; each joint at a right angle (or 1 m) in
    both directions; each joint moving alone; joint angles of many rotations. They are at most half
    of the states. Values are in SI units.

    Args:
        description: the robot, for its joint types and limits.
        inputs: names of the inputs to sample: q, qd, qdd, tau, pi, state, wrench, contact_force,
            dt, qd_reference, qdd_reference, motion, q_next, or a direction of a derivative such as
            dq and tau_bar.
        count: number of states, at least 1.
        seed: seed of the random generator.
        sizes: number of elements of each input, by name, whose size does not follow from the
            description. These inputs are sampled between -1 and 1.

    Raises:
        UsageError: the count is not positive.
    """
    if count < 1:
        raise UsageError(f"expected at least one state for a proof, found {count}")
    special, values = map(dict, _sample_known(description, count, seed))
    for number, name in enumerate(each for each in inputs if each not in special):
        further = np.random.Generator(np.random.PCG64((seed, len(_FURTHER) + number)))
        special[name], values[name] = (
            _draw_uniform(further, [(-1.0, 1.0)] * (sizes or {})[name], rows)
            for rows in (len(special["q"]), count)
        )
    kept = min(len(special["q"]), (count + 1) // 2)
    sampled = {name: np.concatenate([special[name][:kept], values[name][kept:]]) for name in inputs}
    if description.closure and "q" in sampled:
        sampled["q"] = shrink_to_closed(description, sampled["q"])
    return States(seed, count, sampled)


@lru_cache(maxsize=2)  # most functions are proved on the same states
def _sample_known(
    description: RobotDescription, count: int, seed: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Sample all inputs whose sizes follow from the description; return them by name.

    Every quantity is drawn, even if it is not an input, so that functions with different inputs are
    proved at the same poses.

    Returns:
        Values in the special poses, and values in `count` random states, with one row per state.
    """
    joints = tuple(link for link in description.links if link.joint.nv)
    rotates = np.array([rotates for link in joints for rotates in link.joint.type.rotates])
    n = len(rotates)
    generator = np.random.Generator(np.random.PCG64(seed))
    special_count = 1 + 3 * n + _LARGE_ANGLE_STATES
    special, values = (
        {name: _draw(generator, name, joints, rows) for name in _RANGES}
        for rows in (special_count, count)
    )

    _set_special_poses(generator, joints, rotates, special)
    own_sizes = {
        _INERTIAL: 10 * len(description.links)
        + sum(_has_motor(link) for link in description.links),
        _STATE: len(
            list_coordinate_pairs(
                make_numeric_links(description), Coordinates.from_description(description)
            )
        )
        + n,
        _WRENCH: 6 * len(description.external_wrenches),
        _CONTACT_FORCE: 3 * len(description.contact_forces),
        _PARAMETER_CHANGES: len(description.parameters),
    }
    for name, size in own_sizes.items():
        special[name], values[name] = (
            _draw_uniform(generator, [(-1.0, 1.0)] * size, rows) for rows in (special_count, count)
        )
    for name in (_WRENCH, _CONTACT_FORCE):
        special[name][0] = 0  # the first state is all zeros
    special[_STEP], values[_STEP] = (
        generator.uniform(*_STEPS, rows) for rows in (special_count, count)
    )

    for number, (name, like) in enumerate(_FURTHER.items()):
        further = np.random.Generator(np.random.PCG64((seed, number)))
        special[name], values[name] = (
            _draw(further, like, joints, rows) for rows in (special_count, count)
        )
        special[name][0] = special[like][0]  # the first state is at rest

    for name in (*_CHANGES, *_WEIGHTS):
        special[name], values[name] = (
            _draw_uniform(generator, [(-1.0, 1.0)] * n, rows) for rows in (special_count, count)
        )
    return special, values


def list_ranges(description: RobotDescription, name: str) -> list[tuple[float, float]]:
    """Return the sampled range (least, largest) of each element of an input, in SI units.

    Args:
        description: the robot, for its joint types and limits.
        name: the input: q, qd, qdd or tau.

    Raises:
        UsageError: the name is not q, qd, qdd or tau.
    """
    if name not in _RANGES:
        raise UsageError(
            f"the range of the input `{name}` is unknown; known are q, qd, qdd and tau"
        )
    joints = [link for link in description.links if link.joint.nv]
    return [limits for joint in joints for limits in _ranges(name, joint)]


def _set_special_poses(
    generator: np.random.Generator,
    joints: tuple[LinkDescription, ...],
    rotates: Array,
    special: dict[str, Array],
) -> None:
    """Replace sampled states by the special poses of `sample_states`."""
    n = len(rotates)
    quarter = np.diag(np.where(rotates, pi / 2, 1.0))
    special["q"][: 1 + 2 * n] = _positions_after(
        joints, np.concatenate([np.zeros((1, n)), quarter, -quarter])
    )
    for name in ("qd", "qdd", "tau"):
        special[name][0] = 0
        special[name][1 + 2 * n : 1 + 3 * n] *= np.eye(n)
    # Joints with quaternions have no angle that could be large.
    axes = [link.joint for link in joints if link.joint.type.has_axis]
    large = _draw_uniform(
        generator, [(-_LARGE_ANGLE, _LARGE_ANGLE)] * len(axes), _LARGE_ANGLE_STATES
    )
    for column, joint in enumerate(axes):
        if joint.angular:
            special["q"][-_LARGE_ANGLE_STATES:, joint.idx_q] = large[:, column]


def sample_parameters(parameters: tuple[Parameter, ...], seed: int) -> tuple[dict[str, float], ...]:
    """Sample five sets of run-time parameters: the defaults, then 0.5 to 1.5 times the defaults.

    A parameter with default zero is drawn between 0 and 1. A payload is a body of four random point
    masses. For a robot without run-time parameters, the result is one empty set.

    Args:
        parameters: the robot's run-time parameters.
        seed: seed of the random generator.

    Returns:
        For each set, the values of all parameters by name, in their units.
    """
    if not parameters:
        return ({},)
    generator = np.random.Generator(np.random.PCG64(seed))
    defaults = np.array([float(parameter.value) for parameter in parameters])
    sets = [defaults]
    for _ in range(_PARAMETER_SETS - 1):
        draws = generator.random(len(parameters))
        sets.append(np.where(defaults == 0, draws, defaults * (0.5 + draws)))
    named = [
        dict(zip((parameter.name for parameter in parameters), map(float, values), strict=True))
        for values in sets
    ]
    # Independent random moments would not belong to any body.
    if PAYLOAD_PARAMETERS.keys() <= named[0].keys():
        for values in named[1:]:
            values |= _draw_payload(generator)
    return tuple(named)


def _draw_payload(generator: np.random.Generator) -> dict[str, float]:
    """Return mass, first moments and inertia of a body of four random point masses."""
    masses, places = generator.random(4) / 4, generator.uniform(-0.3, 0.3, (4, 3))
    second = places.T @ np.diag(masses) @ places  # second moments, the integral of r r^T dm
    inertia = np.trace(second) * np.eye(3) - second
    tensor = (*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2])
    return dict(
        zip(PAYLOAD_PARAMETERS, map(float, (sum(masses), *(masses @ places), *tensor)), strict=True)
    )


def _has_motor(link: LinkDescription) -> bool:
    """Return whether a link's joint can have a motor inertia."""
    return link.joint.type.has_axis


def _draw(
    generator: np.random.Generator, name: str, joints: Sequence[LinkDescription], rows: int
) -> Array:
    """Draw values of q, qd, qdd or tau, shape (rows, entries); quaternions in q have length one."""
    ranges = [limits for joint in joints for limits in _ranges(name, joint)]
    values = _draw_uniform(generator, ranges, rows)
    for link in joints if name == "q" else ():
        if quaternion := link.joint.type.quaternion:
            at = slice(link.joint.idx_q + quaternion.start, link.joint.idx_q + quaternion.stop)
            values[:, at] /= np.linalg.norm(values[:, at], axis=1, keepdims=True)
    return values


def _positions_after(joints: Sequence[LinkDescription], motions: Array) -> Array:
    """Return the positions after motions from zero at constant velocities, shape (rows, nq).

    Each motion of a joint with a quaternion is a rotation about one axis.
    """
    parts: list[Array] = []
    for link in joints:
        own = motions[:, link.joint.idx_v : link.joint.idx_v + link.joint.nv]
        if link.joint.type.quaternion:
            # With one nonzero angle, the quaternion is (axis sin(angle/2), cos(angle/2)).
            half = own[:, -3:] / 2
            parts += [own[:, :-3], np.sin(half), np.cos(half).prod(axis=1, keepdims=True)]
        else:
            parts.append(own)
    return np.concatenate(parts, axis=1)


def _draw_uniform(
    generator: np.random.Generator, ranges: list[tuple[float, float]], rows: int
) -> Array:
    """Draw uniformly distributed values, shape (rows, columns), with a range for each column."""
    low, high = np.array(ranges).reshape(-1, 2).T
    values: Array = low + (high - low) * generator.random((rows, len(ranges)))
    return values


def _ranges(name: str, joint: LinkDescription) -> list[tuple[float, float]]:
    """Return the ranges (least, largest) of a joint's entries of q, qd, qdd or tau, in SI units."""
    limits = joint.limits or Limits()
    if name == "q" and joint.joint.type.quaternion:
        return [(-1.0, 1.0)] * joint.joint.nq
    if name == "q" and limits.position is not None:
        return [(float(limits.position[0]), float(limits.position[1]))]
    limit = {"qd": limits.velocity, "tau": limits.effort}.get(name)
    half_ranges = (
        _RANGES[name][0 if rotates else 1] if limit is None else float(limit)
        for rotates in joint.joint.type.rotates
    )
    return [(-half_range, half_range) for half_range in half_ranges]
