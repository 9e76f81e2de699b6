"""Numeric links and joint states -> the wrenches that joints carry, by virtual work, whatever computes inverse dynamics.

A joint that does not move is put behind another, once for every direction, and inverse dynamics says what that joint would
have to carry. Whoever computes inverse dynamics thus computes reactions too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.description.description import OriginInertia
from dynagen.numbers.exact import ZERO
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array, NumericLink

Dynamics = Callable[..., Array]
"""Inverse dynamics of links: (links, frames of wrenches, q, qd, qdd, and the wrenches if any) -> tau, shape (..., n).

All joints are free: positions are of all variables, rates and accelerations likewise.
"""

WITHOUT_INERTIA = OriginInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6)
_DIRECTIONS = 6  # along x, y, z and about them


@dataclass(frozen=True)
class ReactionReference:
    """What the joints of a robot carry, by virtual work.

    Attributes:
        wrench_frames: where wrenches act.
        coordinates: of the robot; inside, every joint is free.
        dynamics: inverse dynamics, or the magnitudes of its terms.
        gravity: that there is in these dynamics: its acceleration in the base frame, m/s^2, shape (3,).
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    gravity: Array
    wrench_frames: tuple[FrameReference, ...]
    coordinates: Coordinates

    def wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        """Force (N) and moment (N m) on every link that a joint moves, by its joint, shape (..., joints, 6).

        They are in the axes of the link's frame, the moment about its origin. Motors do not count.
        """
        motion = self.coordinates.positions(q), *map(self.coordinates.rates, (qd, qdd)), *wrench
        at = tuple(frame.with_free_joints for frame in self.wrench_frames)
        moving = [position for position, link in enumerate(self.links) if link.variable is not None]
        return np.stack([self._wrench(position, at, motion) for position in moving], axis=-2)

    def _wrench(self, position: int, at: tuple[FrameReference, ...], motion: tuple[Array, ...]) -> Array:
        link = self.links[position]
        if link.is_free:  # its joint leaves all directions free: what it carries are its forces
            return self.dynamics(self.links, at, *motion)[..., link.rates]
        return reaction(self.dynamics, self.links, at, position, link.after, *motion)


def reaction(
    dynamics: Dynamics,
    links: tuple[NumericLink, ...],
    at: Sequence[FrameReference],
    position: int,
    behind: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    *wrench: Array,
) -> Array:
    """Force and moment that a link receives through its joint, shape (..., 6).

    Args:
        dynamics: inverse dynamics.
        links: of the robot.
        at: the frames where wrenches act.
        position: of the link.
        behind: the axes and the point about which, as the frame behind the joint's motion sees them, 4 x 4.
        q: positions of all joints.
        qd: their rates.
        qdd: their accelerations.
        wrench: the external wrenches, if there are any.
    """
    link = links[position]
    chain = [replace(link, after=behind, inertial=WITHOUT_INERTIA)]
    chain += [_held(position, number, q.shape[-1], qd.shape[-1]) for number in range(_DIRECTIONS)]
    chain[-1] = replace(chain[-1], after=np.linalg.inv(behind) @ link.after, inertial=link.inertial)
    beyond = tuple(
        replace(each, parent=None if each.parent is None else each.parent + _DIRECTIONS * (each.parent >= position))
        for each in links[position + 1 :]
    )
    longer = (*links[:position], *chain, *beyond)
    on_longer = tuple(
        replace(frame, links=longer, link=frame.link + _DIRECTIONS * (frame.link >= position)).with_free_joints for frame in at
    )
    held = [np.concatenate([values, np.zeros((*values.shape[:-1], _DIRECTIONS))], axis=-1) for values in (q, qd, qdd)]
    return dynamics(longer, on_longer, *held, *wrench)[..., -_DIRECTIONS:]


def _held(position: int, number: int, variables: int, rates: int) -> NumericLink:
    """A link without inertia behind a joint that is held, along or about one axis of the link before."""
    return NumericLink(
        parent=position + number,
        variable=rates + number,
        place=variables + number,
        axis=np.eye(3)[number % 3],
        angular=float(number // 3),
        linear=float(1 - number // 3),
        before=np.eye(4),
        after=np.eye(4),
        axis_frame=np.eye(4),
        inertial=WITHOUT_INERTIA,
        motor_inertia=0.0,
    )
