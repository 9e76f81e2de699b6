"""Sticking: which joints dry friction holds at rest, and what the others do meanwhile.

Dry friction (sign: exact) is any value between its two limits while a joint stands still. A joint that comes to rest is held
as long as the friction that holds it stays between the limits, and slides in the direction of what breaks it away (Coulomb's
law as a complementarity condition: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996, section 5.2).
Between such changes the motion is smooth, which is what integrators need.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagen.errors import UsageError
from dynagen.simulation.plant import Array, Plant

_MARGIN = 1e-9  # of what lies between the limits: by so much a held joint has to exceed them, lest rounding let it go
_MOST_EXCHANGES = 1000  # between held and sliding; those of a physical robot end, after about as many as it has joints


@dataclass(frozen=True)
class Contact:
    """The state of dry friction, joint by joint.

    Attributes:
        held: joints that stand still, shape (n,).
        direction: of those that slide, 1 or -1; 0 for the held, and for joints without dry friction.
    """

    held: NDArray[np.bool_]
    direction: Array


def free_contact(plant: Plant) -> Contact:
    """The contact of a robot that no dry friction can hold."""
    return Contact(np.zeros(plant.count, dtype=bool), np.zeros(plant.count))


def acceleration(plant: Plant, contact: Contact, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
    """Accelerations, and the friction that goes with them, shape (n,) each; held joints have none and need what they need."""
    if not contact.held.any():
        qdd = plant.settled(
            lambda qdd: plant.acceleration(q, qd, tau - plant.friction_sliding(q, qd, qdd, contact.direction)), qd
        )
        return qdd, plant.friction_sliding(q, qd, qdd, contact.direction)
    held, matrix = contact.held, plant.mass_matrix(q)
    inverse_of_held = np.linalg.inv(matrix)[np.ix_(held, held)]

    def friction_of(qdd: Array) -> Array:
        """Of sliding joints as they slide; of held ones what makes their acceleration zero."""
        friction = np.where(held, 0.0, plant.friction_sliding(q, qd, qdd, contact.direction))
        unheld = plant.acceleration(q, qd, tau - friction)
        friction[held] = np.linalg.solve(inverse_of_held, unheld[held])
        return friction

    def step(qdd: Array) -> Array:
        moved = plant.acceleration(q, qd, tau - friction_of(qdd))
        return np.where(held, 0.0, moved)

    qdd = plant.settled(step, qd)
    return qdd, friction_of(qdd)


def limits(plant: Plant, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Least and greatest friction that can hold joints at rest, shape (n,) each."""
    one = np.ones(plant.count)
    return plant.friction_sliding(q, 0 * qd, qdd, -one), plant.friction_sliding(q, 0 * qd, qdd, one)


def slack(plant: Plant, contact: Contact, q: Array, qd: Array, tau: Array) -> Array:
    """The distance of held joints' friction from breaking them away; negative: they cannot be held. Infinite for others."""
    qdd, friction = acceleration(plant, contact, q, qd, tau)
    least, greatest = limits(plant, q, qd, qdd)
    margin = _MARGIN * (greatest - least)
    return np.where(contact.held, np.minimum(friction - least, greatest - friction) + margin, np.inf)


def decide(plant: Plant, q: Array, qd: Array, tau: Array) -> Contact:
    """Decide which joints at rest are held, and in which direction the others begin to slide.

    That is a linear complementarity problem with bounds: what holds a joint is within its limits, and a joint that is let go
    accelerates in its direction. It has one solution, as the mass matrix is positive definite, which exchanging the first
    joint that contradicts finds after finitely many steps (Murty, Linear Complementarity, Linear and Nonlinear Programming,
    1988, section 4.1; Judice and Pires 1994 for bounds).

    Args:
        plant: the robot.
        q: positions.
        qd: rates; exactly zero of joints at rest.
        tau: what drives the joints.

    Raises:
        UsageError: there is no end to it: the mass matrix is indefinite, or friction that depends on the load has no solution.
    """
    at_rest = plant.dry & (qd == 0)
    held, direction = at_rest, np.where(plant.dry, np.sign(qd), 0.0)
    for _ in range(_MOST_EXCHANGES):
        contact = Contact(held, direction)
        qdd, friction = acceleration(plant, contact, q, qd, tau)
        least, greatest = limits(plant, q, qd, qdd)
        margin = 0.5 * _MARGIN * (greatest - least)  # half of that of `slack`, which has to find the same
        breaks = held * ((friction > greatest + margin) * 1.0 - (friction < least - margin))
        returns = at_rest & (direction * qdd < 0)
        wrong = (breaks != 0) | returns
        if not wrong.any():
            return contact
        first = np.arange(len(wrong)) == np.argmax(wrong)
        held, direction = held ^ first, np.where(first, breaks, direction)
    raise UsageError(
        f"{plant.robot.name}: dry friction has no solution at q = ({', '.join(f'{each:.6g}' for each in q)}): give it a width "
        "(sign: tanh), and simulate with Radau; `dynagen check` tells whether a link is not physical"
    )
