"""Effects of numbers that were read as round ones on the torques of a robot, each of them alone and all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.description.loading import reader_of
from dynagen.description.snapping import Snap, Snapping
from dynagen.verification.kinematics import Array
from dynagen.verification.reference import references
from dynagen.verification.sampling import DEFAULT_COUNT, sample_states

_SMALLEST_SCALE = 1e-2
_MOST_LINK_STATES = 20_000  # links times states that each number is measured on: a second for fifty numbers


@dataclass(frozen=True)
class SnapEffect:
    """A number that was read as a round one, and how far that changes torques.

    Attributes:
        change: of inverse dynamics, the largest of all states and joints, by the largest force of that joint (where that is
            next to nothing, by a hundredth of the largest of all joints).
    """

    snap: Snap
    change: float


def snap_effects(description: RobotDescription) -> tuple[SnapEffect, ...]:
    """Measure every number of a file that was read as a round one, by the numeric reference.

    The robot with one such number is compared with the robot whose numbers are all as they are written, on states of the
    proof, on fewer of them if links are many.

    Args:
        description: as `load_robot` has read it from a file.

    Returns:
        The effects, in the order of `snaps`.
    """
    usual = description.reading.snapping
    alone = [replace(usual, only=place) for place in range(len(description.snaps))]
    return tuple(map(SnapEffect, description.snaps, _changes(description, alone, DEFAULT_COUNT)))


def change_of_all(description: RobotDescription, states: int = DEFAULT_COUNT) -> float:
    """What all of these numbers together do, as the `change` of one, on at most so many states."""
    (change,) = _changes(description, [description.reading.snapping], states)
    return change


def _changes(description: RobotDescription, snappings: Sequence[Snapping], most: int) -> Iterator[float]:
    count = max(20, min(most, _MOST_LINK_STATES // len(description.links)))
    states = sample_states(description, count=count)
    read = reader_of(description.path, description.reading)

    def forces(snapping: Snapping) -> Array:
        newton_euler, _ = references(read(replace(description.reading, snapping=snapping, strict=False)))
        return newton_euler.inverse_dynamics(states["q"], states["qd"], states["qdd"])

    exact = forces(Snapping(Fraction(0)))
    largest = np.abs(exact).max(axis=0)
    scale = np.maximum(largest, _SMALLEST_SCALE * largest.max()) + np.finfo(float).tiny
    for snapping in snappings:
        yield float((np.abs(forces(snapping) - exact).max(axis=0) / scale).max())
