"""Formulation: the free choices of a recursion, body by body. Every choice gives the same function at another cost."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.model.model import RobotModel


@dataclass(frozen=True)
class BodyFormulation:
    """How one body is treated.

    Attributes:
        turned: True resolves the body's vectors in its own axes, which turn with the joint. False leaves them in the axes in
            front of the joint and turns the body's constants instead; a chain of parallel joints then shares one set of axes.
        by_difference: True takes the moment of the body's motion from the acceleration difference matrix and second moments
            of mass alone, False from moments of inertia, rates and their products.
        direct: True takes the constant way from the parent's origin to the body's in one step, in the parent's axes. False
            leaves what of it lies along the joint axis to a second step, in the body's axes.
    """

    turned: bool = True
    by_difference: bool = False
    direct: bool = False


@dataclass(frozen=True)
class Formulation:
    """One choice for every body of a model, in its order.

    Attributes:
        of_parts: of a joined function, if its parts are better off each with a model and a formulation of its own.
    """

    bodies: tuple[BodyFormulation, ...]
    of_parts: tuple[tuple[RobotModel, Formulation], ...] = ()


def default_formulation(model: RobotModel) -> Formulation:
    """The choice that needs no search: every body in its own axes."""
    return Formulation((BodyFormulation(),) * len(model.bodies))
