"""References: numeric dynamics and kinematics of a robot, in two independent formulations.

Kernels are compared with both references. The references are computed only from the robot
description, in floating point.

| | first reference | second reference |
| --- | --- | --- |
| dynamics | Newton-Euler | Lagrange |
| kinematics of frames | link transforms, differentiated | exponentials of screws |
| wrenches that joints carry | virtual work of Newton-Euler | natural orthogonal complement |

The expected values of many functions follow by an identity, such as gravity_forces(q) =
inverse_dynamics(q, 0, 0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.names import make_identifier
from dynagen.verification import lagrange, newton_euler, wrenches
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.couplings import CoupledMotors, make_coupled_motors
from dynagen.verification.differences import (
    compute_difference,
    compute_difference_magnitudes,
)
from dynagen.verification.energies import EnergyReference
from dynagen.verification.frames import FrameReference, ScrewFrameReference, make_frame_references
from dynagen.verification.friction import FrictionReference
from dynagen.verification.kinematics import (
    Formulation,
    NumericLink,
    cache_results,
    make_numeric_links,
    rotate,
    round_vector,
)
from dynagen.verification.loops import make_coordinates
from dynagen.verification.orthogonal_complement import OrthogonalComplement
from dynagen.verification.regressors import RegressorReference
from dynagen.verification.wrenches import WITHOUT_INERTIA, CentroidalReference, ReactionReference

_FLOATING_BASE = NumericLink(
    parent=None,
    variable=0,
    place=0,
    axis=np.array([0.0, 0.0, 1.0]),
    angular=0.0,
    linear=0.0,
    before=np.eye(4),
    after=np.eye(4),
    axis_frame=np.eye(4),
    inertial=WITHOUT_INERTIA,
    motor_inertia=0.0,
    is_free=True,
)


def _put_on_base(links: tuple[NumericLink, ...]) -> Iterator[NumericLink]:
    """Yield the links of a robot after it is put on an additional floating base.

    Links that did not move before have no inertia in the result.
    """
    moving: set[int | None] = set()
    for position, link in enumerate(links):
        if link.variable is not None or link.parent in moving:
            moving.add(position)
        yield replace(
            link,
            parent=0 if link.parent is None else link.parent + 1,
            variable=None if link.variable is None else link.variable + 6,
            place=None if link.place is None else link.place + 7,
            inertial=link.inertial if position in moving else WITHOUT_INERTIA,
        )


class Variation(NamedTuple):
    """Pairs of robots with different values of one run-time parameter, for finite differences.

    Attributes:
        size: magnitude of the parameter; 1 if the parameter is zero.
        terms: one tuple (weight, above, below) for each pair of robots. The derivative of a result
            by the parameter is the sum of weight * (result of `above` - result of `below`).
    """

    size: float
    terms: tuple[tuple[float, Reference, Reference], ...]


@dataclass(frozen=True)
class Reference:
    """Numeric dynamics and kinematics of a robot, in one of two independent formulations.

    Attributes:
        name: name of the formulation.
        links: links of the robot, with independent joints.
        gravity_vector: acceleration of gravity in the base frame, m/s^2, shape (3,).
        formulation: inverse dynamics of the links, computed as if all joints were independent.
        coordinates: relation between q, v and all joints, which couples the joints.
        frames: the tool and other named frames, by their identifiers.
        precise_links: the links in extended precision, to determine ranks of matrices.
        external_wrenches: the frames at which external wrenches act.
        contact_forces: the frames at which forces in base axes act.
        contact: function of a frame, q and a wrench at the frame. It returns the joint forces that
            balance the wrench, or for each of them the sum of the magnitudes of its terms.
        moving: for every moving link, a frame and the inertial data of the link about the frame's
            origin.
        origins: kinematics of the link frame of every link.
        joint_wrenches: class that computes the wrenches that joints carry.
        vary_parameters: function that returns the `Variation` of each run-time parameter.
        couplings: motors that move several joints together.
    """

    name: str
    links: tuple[NumericLink, ...]
    gravity_vector: Array
    formulation: Formulation
    coordinates: Coordinates
    frames: Mapping[str, FrameReference]
    precise_links: tuple[NumericLink, ...]
    external_wrenches: tuple[FrameReference, ...] = ()
    contact_forces: tuple[FrameReference, ...] = ()
    contact: Callable[[FrameReference, Array, Array], Array] = wrenches.compute_joint_forces
    moving: tuple[tuple[FrameReference, newton_euler.PointInertia], ...] = ()
    origins: tuple[FrameReference, ...] = ()
    joint_wrenches: type[ReactionReference] = ReactionReference
    vary_parameters: Callable[[], tuple[Variation, ...]] = tuple
    couplings: tuple[CoupledMotors, ...] = ()

    @property
    def degrees_of_freedom(self) -> int:
        """Number n of entries of v, the vector of joint velocities."""
        return self.coordinates.count

    @property
    def units(self) -> Array:
        """Identity matrix, (n, n), whose rows are unit joint velocities."""
        return np.eye(self.degrees_of_freedom)

    def make_rest(self, q: Array) -> Array:
        """Return zero joint velocities or accelerations, (..., n), for positions q, (..., nq)."""
        return np.zeros((*q.shape[:-1], self.degrees_of_freedom))

    def move(self, q: Array, step: Array) -> Array:
        """Return the positions (..., nq) after a small motion from q, to first order.

        `step`, (..., n), is a joint velocity v times a short duration (rad or m).
        """
        return self.coordinates.move(q, step)

    def integrate(self, q: Array, motion: Array) -> Array:
        """Return the positions (..., nq) after moving from q at constant joint velocity.

        `motion`, (..., n), is the joint velocity v times the duration (rad or m).
        """
        return self.coordinates.integrate(q, motion)

    def compute_difference(self, q: Array, after: Array) -> Array:
        """Return the motion, (..., n), with which `integrate` moves q to the positions `after`.

        Rotations in the result are less than 180 degrees.
        """
        return compute_difference(self.coordinates, q, after)

    def compute_difference_magnitudes(self, q: Array, after: Array) -> Array:
        """Return, for each entry from `compute_difference`, the sum of its terms' magnitudes."""
        return compute_difference_magnitudes(self.coordinates, q, after)

    def compute_integrated_magnitudes(self, q: Array, motion: Array) -> Array:
        """Return, for each position from `integrate`, the sum of the magnitudes of its terms.

        `motion`, (..., n), contains, for each entry of the motion, the sum of the magnitudes of its
        terms.
        """
        return self.coordinates.compute_integrated_magnitudes(q, motion)

    @cached_property
    def magnitudes(self) -> Reference:
        """A reference that returns, for each result, the sum of the magnitudes of its terms."""
        return replace(
            self,
            formulation=newton_euler.formulate_term_magnitudes,
            contact=wrenches.compute_term_magnitudes,
            coordinates=self.coordinates.magnitudes,
            joint_wrenches=ReactionReference,
        )

    def compute_inverse_dynamics(
        self, q: Array, qd: Array, qdd: Array, *external: Array, gravity: bool = True
    ) -> Array:
        """Compute the joint forces of a motion, with motor inertias and without friction.

        Args:
            q: positions (rad or m), shape (..., nq).
            qd: velocities, shape (..., n).
            qdd: accelerations, shape (..., n).
            external: nothing, or the external forces as up to two arrays. If the robot has
                `external_wrenches`, the first array contains force (N) and moment (N m) at each of
                these k frames, in the frame's axes, shape (..., 6 k). If it has `contact_forces`,
                the last array contains the forces (N) at these m frames, in base axes, shape (...,
                3 m).
            gravity: whether gravity acts.

        Returns:
            Joint forces tau, shape (..., n), in N m or N; complex if an argument is complex.
        """
        forces = (self if gravity else self.weightless)._forces(q, qd, qdd)
        for wrench in self.resolve_forces(q, *external):
            for number, frame in enumerate(self.loaded_frames):
                forces += self.contact(frame, q, wrench[..., 6 * number : 6 * number + 6])
        return forces

    @property
    def external_count(self) -> int:
        """Number of arrays of external forces: 0 to 2, for wrenches and for contact forces."""
        return bool(self.external_wrenches) + bool(self.contact_forces)

    @property
    def loaded_frames(self) -> tuple[FrameReference, ...]:
        """The frames at which external wrenches act, then those at which contact forces act."""
        return (*self.external_wrenches, *self.contact_forces)

    def resolve_forces(self, q: Array, *external: Array) -> tuple[Array, ...]:
        """Return external wrenches and contact forces as wrenches, each in the axes of its frame.

        `external` contains the external wrenches, shape (..., 6 m) for m frames, force (N) before
        moment (N m), and then the contact forces in base axes, shape (..., 3 k) for k frames. The
        result is a tuple of one array, (..., 6 (m + k)), with the wrenches at `loaded_frames`. The
        tuple is empty without `external`.
        """
        if not external or not self.contact_forces:
            return external
        *wrenches, forces = external
        parts = list(wrenches)
        for number, frame in enumerate(self.contact_forces):
            rotation, _ = frame.compute_pose(q)
            force = np.swapaxes(rotation, -1, -2) @ forces[..., 3 * number : 3 * number + 3, None]
            parts += [force[..., 0], 0 * force[..., 0]]
        return (np.concatenate(parts, axis=-1),)

    @cached_property
    def _forces(self) -> Callable[..., Array]:
        """Function that computes joint forces with gravity, cached by its arguments."""
        return cache_results(partial(self.compute_joint_forces, self.gravity_vector))

    @cached_property
    def weightless(self) -> Reference:
        """The reference of the same robot without gravity."""
        return replace(self, gravity_vector=np.zeros(3))

    def compute_joint_forces(self, gravity: Array, q: Array, qd: Array, qdd: Array) -> Array:
        """Return joint forces (N m or N), (..., n), for a gravity vector, without external forces.

        `gravity`, shape (3,), is the acceleration of gravity in the base frame (m/s^2).
        """
        # The formulation knows only independent joints; coordinates add mimicking joints and G^T.
        joints = self.coordinates
        forces = self.formulation(self.links, gravity, *joints.compute_motion(q, qd, qdd))
        return joints.compute_forces(forces(self.links), q)

    def compute_inertial_wrench(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the force (N) and moment (N m) that accelerate all moving links, (..., 6).

        Axes and reference point are those of the floating base, or else of the base frame. Gravity
        is not included.
        """
        base, motion = self.coordinates, (q, qd, qdd)
        if base.floats:
            return self.compute_joint_forces(np.zeros(3), *motion)[..., :6]
        links = (_FLOATING_BASE, *_put_on_base(self.links))
        values = base.compute_motion(*motion)
        at_rest = [0, 0, 0, 0, 0, 0, 1], [0] * 6, [0] * 6
        joints = (
            np.concatenate([np.broadcast_to(home, (*each.shape[:-1], len(home))), each], axis=-1)
            for home, each in zip(at_rest, values, strict=True)
        )
        forces: Array = self.formulation(links, np.zeros(3), *joints)(links)
        return forces[..., :6]

    def find_base_pose(self, q: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return a floating base's origin (m), shape (..., 3), in the base frame, and its rotation.

        The rotation is a function that converts vectors (..., 3) from the axes of the floating base
        to base axes. Without a floating base, the origin is zero and the function returns its
        argument.
        """
        if not self.coordinates.floats:
            return np.zeros(3), lambda vectors: vectors
        return q[..., :3], partial(rotate, q[..., 3:7])

    def restrict_inertia(self, coordinate: int) -> Reference:
        """Return the robot with inertia only in the links that entry `coordinate` of v moves.

        The motors of the returned robot have no inertia.
        """
        carried: set[int | None] = set()
        links = []
        for position, link in enumerate(self.links):
            columns = self.coordinates.index[link.columns] if link.variable is not None else ()
            if coordinate in columns or link.parent in carried:
                carried.add(position)
            inertial = link.inertial if position in carried else WITHOUT_INERTIA
            links.append(replace(link, inertial=inertial, motor_inertia=0.0))
        return replace(self, links=tuple(links))

    @cached_property
    def regressors(self) -> RegressorReference:
        """Expected regressors of joint forces by inertial parameters, and the base parameters."""
        return RegressorReference(
            self.links,
            lambda links, *state: self.formulation(links, self.gravity_vector, *state),
            self.coordinates,
            self.precise_links,
        )

    @cached_property
    def centroidal(self) -> CentroidalReference:
        """Expected centre of mass and momenta of all moving links."""
        return CentroidalReference(self.moving)

    @cached_property
    def energies(self) -> EnergyReference:
        """Expected potential energy of all moving links, and its regressor."""
        has_axis = [link.has_axis for link in self.links]
        return EnergyReference(self.gravity_vector, self.moving, self.origins, has_axis)

    @cached_property
    def friction(self) -> FrictionReference:
        """Expected friction forces of the robot's joints."""
        return FrictionReference(self.links, self._loads, self.loaded_frames, self.coordinates)

    @cached_property
    def reactions(self) -> ReactionReference:
        """Expected wrenches that moving links receive through their joints."""
        # Each formulation computes wrenches by another method, so that wrenches have two references
        # too.
        return self.joint_wrenches(
            self.links, self._loads, self.gravity_vector, self.loaded_frames, self.coordinates
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
        """Compute the joint forces, (..., n), of a robot with these links and independent joints.

        `wrench` contains external wrenches at the frames `at`, in the axes of these frames.
        """
        robot = replace(
            self,
            links=links,
            external_wrenches=at,
            contact_forces=(),
            coordinates=Coordinates.from_links(links),
        )
        return robot.compute_inverse_dynamics(q, qd, qdd, *wrench)

    @property
    def joint_pairs(self) -> tuple[tuple[int, int], ...]:
        """Row and column of each mass matrix entry that `compute_two_rate_forces` requires."""
        return wrenches.list_coordinate_pairs(self.links, self.coordinates)

    def compute_two_rate_forces(self, state: Array, qdd: Array) -> Array:
        """Return the joint forces M qdd + h, (..., n), as the function `synchronous` does.

        `state`, shape (..., pairs + n), contains the entries of the mass matrix M at `joint_pairs`,
        then the n bias forces h.
        """
        return wrenches.compute_two_rate_forces(self.joint_pairs, state, qdd)

    def find_frame(self, name: str) -> FrameReference:
        """Return the kinematics of a named frame or of `tool`; raise KeyError for unknown names."""
        return self.frames[make_identifier(name)]


_NAMES = {
    "dynamics": ("Newton-Euler", "Lagrange"),
    "kinematics": ("link transforms", "exponentials of screws"),
    "reactions": ("Newton-Euler", "orthogonal complement"),
}


def list_reference_names(subjects: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the two references, such as `Newton-Euler` and `Lagrange`.

    For several subjects, the different names of one reference are joined by commas.

    Args:
        subjects: one or several of `dynamics`, `kinematics` and `reactions`.
    """
    return tuple(
        ", ".join(dict.fromkeys(names))
        for names in zip(*(_NAMES[subject] for subject in subjects), strict=True)
    )


def make_references(description: RobotDescription) -> tuple[Reference, ...]:
    """Return the two numeric references of a robot, by Newton-Euler and by Lagrange.

    Run-time parameters have their default values.
    """
    links, gravity = make_numeric_links(description), round_vector(description.gravity)
    coordinates = make_coordinates(description)
    formulations = (
        (newton_euler.formulate_inverse_dynamics, FrameReference, ReactionReference),
        (lagrange.formulate_inverse_dynamics, ScrewFrameReference, OrthogonalComplement),
    )
    precise_links = make_numeric_links(description, np.longdouble)
    couplings = make_coupled_motors(description)
    robots = []
    for name, (formulation, kinematics, reactions) in zip(
        list_reference_names(["dynamics"]), formulations, strict=True
    ):
        frames = make_frame_references(description, links, coordinates, kinematics)
        wrench_frames, force_frames = (
            tuple(frames[make_identifier(frame)] for frame in named)
            for named in (description.external_wrenches, description.contact_forces)
        )
        moving = tuple(_moving_inertias(links, coordinates, kinematics))
        origins = tuple(
            kinematics(links, position, np.eye(4), coordinates) for position in range(len(links))
        )
        robot = name, links, gravity, formulation, coordinates, frames, precise_links
        reference = Reference(*robot, wrench_frames, force_frames, moving=moving, origins=origins)
        robots.append(replace(reference, joint_wrenches=reactions, couplings=couplings))
    return tuple(robots)


_STEP = 0.03
_WEIGHTS = (7 / 8, -7 / 24, 7 / 72, -7 / 264, 7 / 1320, -7 / 10296, 1 / 24024)
"""Weights of the central differences over 1, 2, ... steps, with an error of order step^14.

They are from B. Fornberg, "Generation of Finite Difference Formulas on Arbitrarily Spaced Grids",
Math. Comp. 51, 1988. Results are differentiated by run-time parameters. The step is 0.03 times the
magnitude of the parameter's value, or 0.03 if the value is zero.
"""


def add_variations(
    references: Sequence[Reference], description: RobotDescription, values: Mapping[str, Exact]
) -> tuple[Reference, ...]:
    """Return references with which results can be differentiated by run-time parameters.

    Their attribute `vary_parameters` returns robots with slightly different parameters.

    Args:
        references: result of `make_references` for a robot with the parameters `values`.
        description: the robot, with its run-time parameters.
        values: values of all run-time parameters, by name.
    """

    @cache
    def vary(number: int) -> tuple[Variation, ...]:
        varied = []
        for name, value in values.items():
            size = abs(float(value)) or 1.0
            step = Exact(_STEP * size)
            terms = []
            for place, weight in enumerate(_WEIGHTS, start=1):
                above, below = (
                    make_references(
                        substitute(description, {**values, name: value + sign * place * step})
                    )[number]
                    for sign in (1, -1)
                )
                terms.append((weight / float(step), above, below))
            varied.append(Variation(size, tuple(terms)))
        return tuple(varied)

    return tuple(
        replace(each, vary_parameters=partial(vary, number))
        for number, each in enumerate(references)
    )


def _moving_inertias(
    links: tuple[NumericLink, ...], coordinates: Coordinates, kinematics: type[FrameReference]
) -> Iterator[tuple[FrameReference, newton_euler.PointInertia]]:
    """Yield a frame and inertial data about the frame's origin for every moving link."""
    for position, link in enumerate(links):
        inertia, at_point = newton_euler.make_point_inertia(link.inertial), np.eye(4)
        at_point[:3, 3] = inertia.point
        frame = kinematics(links, position, at_point, coordinates)
        if frame.moves:
            yield frame, inertia
