"""Reference: what a kernel is proved against. RobotDescription -> inverse dynamics and kinematics in floating point, twice.

The kinematics of frames are products of link transforms, differentiated, for the first, and products of exponentials of screws
for the second.

Only inverse dynamics, and the kinematics of frames, are computed here. The expected values of every other function follow from
them by an identity that the function's definition supplies, such as gravity_forces(q) = inverse_dynamics(q, 0, 0).

Equivalence of two descriptions of one robot: their motions compared by the numeric reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from dynagen.robot.description import RobotDescription
from dynagen.robot.names import identifier
from dynagen.verification import lagrange, newton_euler, wrenches
from dynagen.verification.frames import FrameReference, ScrewFrameReference, frame_references
from dynagen.verification.friction import FrictionReference
from dynagen.verification.kinematics import (
    Array,
    Coordinates,
    Formulation,
    NumericLink,
    numeric_links,
    remembered,
    vector,
)
from dynagen.verification.orthogonal_complement import OrthogonalComplement
from dynagen.verification.regressors import RegressorReference
from dynagen.verification.sampling import sample_states
from dynagen.verification.wrenches import WITHOUT_INERTIA, CentroidalReference, ReactionReference


@dataclass(frozen=True)
class Reference:
    """One robot under one formulation of its equations of motion.

    Attributes:
        links: with a variable for every joint that moves.
        gravity_vector: acceleration of gravity in the base frame, m/s^2, shape (3,).
        coordinates: what the joints' variables follow from.
        precise_links: the links in extended precision, to decide by.
        frames: the tool and other named frames, by their identifiers.
        external_wrenches: the frames at which wrenches act.
        contact: joint forces that hold a wrench at a frame, or the magnitudes of their terms.
        joint_wrenches: how the wrenches that joints carry are computed.
        moving: for every link that moves the frame at the point that its inertial data are about, and these.
    """

    name: str
    links: tuple[NumericLink, ...]
    gravity_vector: Array
    formulation: Formulation
    coordinates: Coordinates
    frames: Mapping[str, FrameReference]
    precise_links: tuple[NumericLink, ...]
    external_wrenches: tuple[FrameReference, ...] = ()
    contact: Callable[[FrameReference, Array, Array], Array] = wrenches.joint_forces
    moving: tuple[tuple[FrameReference, newton_euler.PointInertia], ...] = ()
    joint_wrenches: type[ReactionReference] = ReactionReference

    @property
    def degrees_of_freedom(self) -> int:
        """Number of entries of v, n."""
        return self.coordinates.count

    @property
    def units(self) -> Array:
        """Motions of one entry of v alone, shape (n, n)."""
        return np.eye(self.degrees_of_freedom)

    def rest(self, q: Array) -> Array:
        """Rates or accelerations of zero in the states of positions q, shape (..., n)."""
        return np.zeros((*q.shape[:-1], self.degrees_of_freedom))

    def moved(self, q: Array, step: Array) -> Array:
        """Positions after a small motion, which has the entries of v; to first order (`Coordinates.moved`)."""
        return self.coordinates.moved(q, step)

    def integrated(self, q: Array, motion: Array) -> Array:
        """Positions after a motion of any size, which has the entries of v (`Coordinates.integrated`)."""
        return self.coordinates.integrated(q, motion)

    def integrated_magnitudes(self, q: Array, motion: Array) -> Array:
        """Sums of the magnitudes of the terms of `integrated`, for a motion of magnitudes."""
        return self.coordinates.integrated_magnitudes(q, motion)

    @cached_property
    def magnitudes(self) -> Reference:
        """The robot with inverse dynamics that gives the sums of its terms' magnitudes: the scale of rounding."""
        return replace(
            self,
            formulation=newton_euler.term_magnitudes,
            contact=wrenches.term_magnitudes,
            coordinates=self.coordinates.magnitudes,
            joint_wrenches=ReactionReference,
        )

    def inverse_dynamics(
        self, q: Array, qd: Array, qdd: Array, wrench: Array | None = None, *, gravity: bool = True
    ) -> Array:
        """Joint forces of a motion, motor inertias included, friction not.

        Args:
            q: positions, shape (..., nq), in rad or m; n of them but for a floating base, which has one more.
            qd: velocities, shape (..., n).
            qdd: accelerations, shape (..., n).
            wrench: force (N) and moment (N m) exerted on the robot at every one of k `external_wrenches`, shape (..., 6 k).
            gravity: whether gravity acts.

        Returns:
            Joint forces tau, shape (..., n), in N m or N. Complex arguments give complex results.
        """
        forces = (self._forces if gravity else self._weightless_forces)(q, qd, qdd)
        if wrench is None:
            return forces
        for number, frame in enumerate(self.external_wrenches):
            forces += self.contact(frame, q, wrench[..., 6 * number : 6 * number + 6])
        return forces

    @cached_property
    def _forces(self) -> Callable[..., Array]:
        return remembered(partial(self.joint_forces, self.gravity_vector))

    @cached_property
    def _weightless_forces(self) -> Callable[..., Array]:
        return remembered(partial(self.joint_forces, np.zeros(3)))

    def joint_forces(self, gravity: Array, q: Array, qd: Array, qdd: Array) -> Array:
        """As `inverse_dynamics`, in a field of gravity (3,), without wrenches; computed anew whatever was asked before."""
        joints = self.coordinates
        motion = joints.positions(q), joints.rates(qd), joints.rates(qdd)
        return joints.forces(self.formulation(self.links, gravity, *motion)(self.links))

    def beyond(self, coordinate: int) -> Reference:
        """The robot with inertia in the links alone that a coordinate moves: what its value and rate act on."""
        carried: set[int | None] = set()
        links = []
        for position, link in enumerate(self.links):
            follows = link.variable is not None and coordinate in self.coordinates.index[link.rates]
            if follows or link.parent in carried:
                carried.add(position)
            inertial = link.inertial if position in carried else WITHOUT_INERTIA
            links.append(replace(link, inertial=inertial, motor_inertia=0.0))
        return replace(self, links=tuple(links))

    @cached_property
    def regressors(self) -> RegressorReference:
        """The regressors of the robot, in the inertial parameters of its links."""
        return RegressorReference(
            self.links,
            lambda links, *state: self.formulation(links, self.gravity_vector, *state),
            self.coordinates,
            self.precise_links,
        )

    @cached_property
    def centroidal(self) -> CentroidalReference:
        """The centre of mass of all that moves, and its momenta."""
        return CentroidalReference(self.moving)

    @cached_property
    def friction(self) -> FrictionReference:
        """The friction of the robot's joints."""
        return FrictionReference(self.links, self._loads, self.external_wrenches, self.coordinates)

    @cached_property
    def reactions(self) -> ReactionReference:
        """The wrenches that the robot's joints carry."""
        return self.joint_wrenches(
            self.links, self._loads, self.gravity_vector, self.external_wrenches, self.coordinates
        )

    def _loads(
        self,
        links: tuple[NumericLink, ...],
        at: tuple[FrameReference, ...],
        q: Array,
        qd: Array,
        qdd: Array,
        *wrench: Array,
    ) -> Array:
        """Forces of all joints of links that may not be the robot's own, with a wrench at a frame that is fixed to them."""
        robot = replace(
            self, links=links, external_wrenches=at, coordinates=Coordinates.free(links)
        )
        return robot.inverse_dynamics(q, qd, qdd, *wrench)

    @property
    def joint_pairs(self) -> tuple[tuple[int, int], ...]:
        """Entries of the mass matrix that the state between `background` and `synchronous` has, in its order."""
        return wrenches.coordinate_pairs(self.links, self.coordinates)

    def two_rate_forces(self, state: Array, qdd: Array) -> Array:
        """The joint forces that `synchronous` makes of a state and accelerations."""
        return wrenches.two_rate_forces(self.joint_pairs, state, qdd)

    def frame(self, name: str) -> FrameReference:
        """The kinematics of the tool or of a named frame."""
        return self.frames[identifier(name)]


_NAMES = {
    "dynamics": ("Newton-Euler", "Lagrange"),
    "kinematics": ("link transforms", "exponentials of screws"),
    "reactions": ("Newton-Euler", "orthogonal complement"),
}


def reference_names(subjects: Sequence[str]) -> tuple[str, ...]:
    """The names of the references where they compute `dynamics`, `kinematics`, `reactions` or several of these."""
    return tuple(
        ", ".join(dict.fromkeys(names))
        for names in zip(*(_NAMES[subject] for subject in subjects), strict=True)
    )


def references(description: RobotDescription) -> tuple[Reference, ...]:
    """The independent references that every kernel of this robot has to agree with: dynamics and kinematics, twice each."""
    links, gravity, coordinates = (
        numeric_links(description),
        vector(description.gravity),
        Coordinates.of(description),
    )
    formulations = (
        (newton_euler.inverse_dynamics, FrameReference, ReactionReference),
        (lagrange.inverse_dynamics, ScrewFrameReference, OrthogonalComplement),
    )
    precise_links = numeric_links(description, np.longdouble)
    made = []
    for name, (formulation, kinematics, reactions) in zip(
        reference_names(["dynamics"]), formulations, strict=True
    ):
        frames = frame_references(description, links, coordinates, kinematics)
        loaded = tuple(frames[identifier(frame)] for frame in description.external_wrenches)
        moving = tuple(_moving(links, coordinates, kinematics))
        robot = name, links, gravity, formulation, coordinates, frames, precise_links
        made.append(Reference(*robot, loaded, moving=moving, joint_wrenches=reactions))
    return tuple(made)


def _moving(
    links: tuple[NumericLink, ...], coordinates: Coordinates, kinematics: type[FrameReference]
) -> Iterator[tuple[FrameReference, newton_euler.PointInertia]]:
    """The links that a joint moves, each with a frame at the point that its inertial data are about."""
    for position, link in enumerate(links):
        inertia, at_point = newton_euler.point_inertia(link.inertial), np.eye(4)
        at_point[:3, 3] = inertia.point
        frame = kinematics(links, position, at_point, coordinates)
        if frame.moves:
            yield frame, inertia


_STATES = 100


def largest_difference(
    one: RobotDescription, other: RobotDescription, order: Sequence[int]
) -> float:
    """The difference between the inverse dynamics of two robots on random states, by the largest force of the first.

    Both have the gravity of the first, and run-time parameters at their defaults.

    Args:
        one: a robot.
        other: a robot with as many coordinates.
        order: for every entry of v of the first, that of the other; a floating base comes first in both.
    """
    states = sample_states(one, count=_STATES)
    here, there = references(one)[0], references(replace(other, gravity=one.gravity))[0]
    expected = here.inverse_dynamics(states["q"], states["qd"], states["qdd"])
    floats = here.coordinates.floats
    places = (
        [*range(7), *(entry + 1 for entry in order[6:])] if floats else order
    )  # of q, which has one entry more then
    q, (qd, qdd) = (
        states["q"][:, np.argsort(places)],
        (states[name][:, np.argsort(order)] for name in ("qd", "qdd")),
    )
    found = there.inverse_dynamics(q, qd, qdd)[:, list(order)]
    scale = np.abs(expected).max()
    return float(np.abs(found - expected).max() / scale) if scale else float(np.abs(found).max())
