"""Closed loops in the references: dependent joints by numeric solution of the constraints.

The references compute only the tree that remains if all loops are cut. `ClosedCoordinates` computes
the dependent joints by Newton's method, along a path from the pose with all joints at zero. All
solutions therefore belong to the assembly mode of this pose. Velocities of the tree's joints follow
from J v_tree = 0 with the Jacobian J of the constraints, and accelerations from the derivative of
this equation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.arrays import Array
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import NewtonGroup, RobotDescription
from dynagen.robot.names import make_identifier
from dynagen.verification.constraints import Constraints, LoopEnd, solve
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import (
    COMPLEX_STEP,
    cache_results,
    make_numeric_links,
    make_transform,
)

_SHRINKING = 0.75  # factor of positions whose loops do not close
_ATTEMPTS = 24  # largest number of such reductions


@dataclass(frozen=True)
class ClosedCoordinates(Coordinates):
    """Coordinates of a robot whose loops determine some of its joints.

    Attributes:
        constraints: the constraints of the loops, in the precision of the results (double or
            extended).
        double_constraints: the constraints in double precision, with which the loops are closed
            first.
        precise_constraints: the constraints in extended precision, if the machine has it.
        sums_magnitudes: whether the results are sums of the magnitudes of terms.
    """

    constraints: Constraints = field(kw_only=True)
    double_constraints: Constraints = field(kw_only=True)
    precise_constraints: Constraints = field(kw_only=True)
    sums_magnitudes: bool = False

    @property
    def precise(self) -> Coordinates:
        """These coordinates, with results in extended precision."""
        return replace(self, constraints=self.precise_constraints)

    @property
    def magnitudes(self) -> Coordinates:
        """The same coordinates, for magnitudes of terms.

        In place of each result, the methods return the sum of the magnitudes of its terms.
        """
        tree = self.constraints.tree.magnitudes
        return replace(self, sums_magnitudes=True, constraints=replace(self.constraints, tree=tree))

    def _find_tree(self, q: NDArray[Any]) -> NDArray[Any]:
        """Return the positions of all joints, with closed loops, for independent positions q.

        q has shape (..., n).
        """
        states, places = np.unique(np.real(q).reshape(-1, q.shape[-1]), axis=0, return_inverse=True)
        states = states.astype(np.float64)
        found = self.double_constraints.close(states)[places.reshape(-1)].reshape(*q.shape[:-1], -1)
        if q.dtype == np.float64:
            return found
        if not np.iscomplexobj(q):
            # In extended precision, Newton steps remove the rounding of double precision.
            found = found.astype(q.dtype)
            found[..., list(self.constraints.free)] = q
            return self.constraints.improve(found, 2)
        found = found.astype(complex)
        found[..., list(self.constraints.free)] = q
        # The imaginary parts are small, so one step finds them; the second removes rounding.
        return self.constraints.improve(found, 2)

    def compute_positions(self, q: Array) -> Array:
        """Return the positions of all joints (rad or m) for independent positions q.

        The result has the shape (..., joints).
        """
        return self.constraints.tree.compute_positions(self._find_tree(q))

    @cached_property
    def _find_slopes(self) -> Callable[..., Array]:
        return cache_results(self._compute_slopes)

    def _compute_slopes(self, q: NDArray[Any]) -> NDArray[Any]:
        """Return G, shape (..., joints of the tree, n): the joint velocities of the tree are G v.

        v are the n independent velocities.
        """
        constraints = self.constraints
        tree = self._find_tree(q)
        _, by_bound, by_free = constraints.split(tree)
        slopes = np.zeros((*q.shape[:-1], constraints.tree.count, self.count), dtype=q.dtype)
        slopes[..., list(constraints.free), range(self.count)] = 1
        bound = list(constraints.bound_entries)
        slopes[..., bound, :] = -solve(by_bound, by_free)
        if self.sums_magnitudes:
            # A G = -B: the terms of A and B, both rounded, reach G through A^-1. An entry that
            # is zero by chance has their error. The amplification is a factor of its own.
            size = np.abs(slopes[..., bound, :])
            terms = constraints.bound(tree)
            rounded = terms[..., list(constraints.free)] + terms[..., bound] @ size
            slopes[..., bound, :] = size + self._solve_terms(tree, by_bound, rounded)
        return slopes

    def shrink_to_closed(self, q: Array, steps: int | None = None) -> Array:
        """Return positions scaled towards zero until the loops close, shape (states, n).

        Args:
            q: independent positions, (states, n). Positions are multiplied by 0.75 until the loops
                close and are not nearly singular. If 24 multiplications are not enough, the
                positions become zero.
            steps: largest allowed number of Newton steps from the zero position to positions at
                which the loops close; None allows any number.
        """
        find_open = partial(self.constraints.find_open, steps=steps)
        result, left = q.copy(), np.arange(len(q))
        for _ in range(_ATTEMPTS):
            left = left[find_open(result[left])]
            if not len(left):
                return result
            result[left] *= _SHRINKING
        # If two links are almost in line at zero, the loops close only very near to it.
        result[left[find_open(result[left])]] = 0
        return result

    def compute_growth(self, q: Array) -> Array:
        """Return the amplification of rounding errors by the closed loops, shape (states,).

        The amplification is about 1 for a parallelogram and infinite in a singular state.
        """
        return self.constraints.compute_growth(self.constraints.close(q))

    def compute_velocities(self, v: Array, q: Array) -> Array:
        """Return the velocities of all joints (rad/s or m/s) for independent velocities v.

        The result has the shape (..., joints).
        """
        return self.constraints.tree.compute_velocities(self._spread(v, q), q)

    def compute_accelerations(self, a: Array, q: Array, v: Array) -> Array:
        """Return the accelerations of all joints (rad/s^2 or m/s^2), shape (..., joints).

        q, v and a = dv/dt are the positions, velocities and accelerations of the independent
        joints.
        """
        of_tree = self._spread(a, q) + self._compute_drift(q, v)
        return self.constraints.tree.compute_velocities(of_tree, q)

    def _compute_drift(self, q: Array, v: Array) -> Array:
        """Return the accelerations of all joints at constant independent joint velocities v."""
        constraints = self.constraints
        velocities = self._spread(v, q)
        drift = np.zeros_like(velocities)
        tree = self._find_tree(q) + drift
        _, jacobian = constraints.compute(tree + 1j * COMPLEX_STEP * velocities)
        change = (jacobian.imag / COMPLEX_STEP)[..., constraints.rows, :]
        _, by_bound, _ = constraints.split(tree)
        right = change @ velocities[..., None]
        solved = -solve(by_bound, right)
        if self.sums_magnitudes:
            # The axes of the constraints rotate with the velocities of all joints.
            speed = velocities.sum(axis=-1)[..., None, None]
            terms = 2 * speed * (constraints.bound(tree) @ velocities[..., None])
            solved = np.abs(solved) + self._solve_terms(tree, by_bound, terms)
        drift[..., list(constraints.bound_entries)] = solved[..., 0]
        return drift

    def _solve_terms(self, tree: Array, by_bound: Array, terms: Array) -> Array:
        """Return |A^-1| times `terms`, divided by the amplification of rounding errors.

        The matrix A = `by_bound` contains the derivatives of the constraints by the dependent
        positions, at the positions `tree` of all joints. |A^-1| contains the magnitudes of the
        elements of A^-1. The amplification is the spectral radius of |A^-1| T (Bauer, Numerische
        Mathematik 5, 1963). T contains, for each element of A, an upper bound of the sum of the
        magnitudes of its terms.
        """
        inverse = np.abs(np.linalg.inv(by_bound))
        bounds = self.constraints.bound(tree)[..., list(self.constraints.bound_entries)]
        radius = np.abs(np.linalg.eigvals(inverse @ bounds)).max(axis=-1)
        solved: Array = inverse @ terms / radius[..., None, None]
        return solved

    def _spread(self, values: Array, q: Array) -> Array:
        """Return the velocities or accelerations of all joints: G times `values`.

        G is the matrix from independent joint velocities to all joint velocities, and `values` are
        independent velocities or accelerations.
        """
        terms = np.abs(values) if self.sums_magnitudes else values
        product: Array = np.einsum("...ij,...j->...i", self._find_slopes(q), terms)
        return product

    def compute_forces(self, tau: Array, q: Array) -> Array:
        """Return the n forces of the independent joints that do the same work as all joint forces.

        Args:
            tau: forces of all joints of the tree (N m or N), shape (..., joints). Each row of a
                matrix of shape (..., rows, joints) is converted.
            q: independent positions, shape (..., n).
        """
        of_tree = self.constraints.tree.compute_forces(tau, q)
        slopes = self._find_slopes(q)
        if of_tree.ndim > q.ndim:  # a matrix
            slopes = slopes[..., None, :, :]
        forces: Array = np.einsum("...ij,...i->...j", slopes, of_tree)
        return forces


@lru_cache(maxsize=4)
def make_coordinates(description: RobotDescription) -> Coordinates:
    """Return the relation between q, v and all joints of a robot, which may have closed loops."""
    plain = Coordinates.from_description(description)
    if not description.closure:
        return plain
    released = number_coordinates(
        [replace(link, joint=replace(link.joint, is_dependent=False)) for link in description.links]
    )
    tree = replace(description, links=released, loops=(), closure=())
    positions = {link.name: number for number, link in enumerate(released)}
    entries = {link.name: link.joint.idx_v for link in released}
    independent = [link for link in description.links if link.joint.nv]

    def make_constraints(precision: type[np.floating[Any]]) -> Constraints:
        frames = {
            make_identifier(frame.name): LoopEnd(
                positions[frame.link], make_transform(frame.placement, precision)
            )
            for frame in description.frames
        }
        return Constraints(
            links=make_numeric_links(tree, precision),
            tree=Coordinates.from_description(tree),
            loops=tuple(
                (
                    frames[make_identifier(loop.first)],
                    frames[make_identifier(loop.second)],
                    ("spherical", "revolute", "fixed").index(loop.joint),
                )
                for loop in description.loops
            ),
            free=tuple(entries[link.name] for link in independent),
            bound_entries=tuple(
                entries[link.name] for link in description.links if link.joint.is_dependent
            ),
            has_turns=tuple(
                bool(link.joint.angular) and not link.joint.linear for link in independent
            ),
        )

    constraints = make_constraints(np.float64)
    return ClosedCoordinates(
        **vars(plain),
        constraints=constraints,
        double_constraints=constraints,
        precise_constraints=make_constraints(np.longdouble),
    )


def shrink_to_closed(description: RobotDescription, q: Array) -> Array:
    """Return positions scaled towards zero until the loops close, shape (states, n).

    `ClosedCoordinates.shrink_to_closed` describes the scaling.
    """
    steps = [step.steps for step in description.closure if isinstance(step, NewtonGroup)]
    return make_coordinates(description).shrink_to_closed(q, min(steps, default=None))
