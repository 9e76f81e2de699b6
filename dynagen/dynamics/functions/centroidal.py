"""Centre of mass of all that moves, how it moves with the joints, and the momenta about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynagen.dynamics.algorithms.centroidal import (
    record_center_of_mass,
    record_centroidal_momenta,
    record_com_jacobian,
    sum_masses,
)
from dynagen.dynamics.algorithms.jacobians import linear_units
from dynagen.dynamics.arguments import Arguments, entries_that_rotate, joint_motion
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Record
from dynagen.ir.program import Argument
from dynagen.numbers.exact import is_zero
from dynagen.robot.model.model import RobotModel


def _position(model: RobotModel) -> tuple[Argument, ...]:
    return (
        Argument("com", (3,), ("m",) * 3, "centre of mass of all that moves, in the base frame"),
    )


def _jacobian(model: RobotModel) -> tuple[Argument, ...]:
    meaning = "Jacobian of the centre of mass, in base axes"
    return (Argument("Jcom", (3, model.nv), linear_units(model) * 3, meaning),)


def _momentum_matrix(model: RobotModel) -> tuple[Argument, ...]:
    rotates = entries_that_rotate(model)
    linear, angular = (
        tuple(units[each] for each in rotates) for units in (("kg", "kg m"), ("kg m", "kg m^2"))
    )
    meaning = "centroidal momentum matrix in base axes, linear rows first"
    return (Argument("Ag", (6, model.nv), linear * 3 + angular * 3, meaning),)


def _without_mass(model: RobotModel) -> str:
    """The reason for which there is no centre of mass, if there is none."""
    return "nothing that moves has mass. Give its links some" if is_zero(sum_masses(model)) else ""


def _centroidal(
    name: str,
    formula: str,
    outputs: Arguments,
    record: Record,
    expected: Callable[[Any, Any], Any],
    magnitudes: Callable[[Any, Any], Any],
) -> DynamicsFunction:
    """A function of the joint positions whose one output the centroidal reference has, and the magnitudes of its terms."""
    return DynamicsFunction(
        name=name,
        formula=formula,
        inputs=joint_motion("q"),
        outputs=outputs,
        methods={"": record},
        oracle=Oracle(
            lambda reference, q: (expected(reference.centroidal, q),),
            magnitudes=lambda reference, q: (magnitudes(reference.centroidal, q),),
            subjects=("kinematics",),
        ),
        availability=Availability(_without_mass),
        depends_on=Dependence.ALL_MOMENTUM,
    )


CENTER_OF_MASS = _centroidal(
    "center_of_mass",
    "com = centre of mass of all that moves, in the base frame",
    _position,
    lambda recording: ([record_center_of_mass(recording)],),
    lambda centroidal, q: centroidal.position(q),
    lambda centroidal, q: centroidal.position_magnitudes(q),
)
COM_JACOBIAN = _centroidal(
    "com_jacobian",
    "Jcom(q) qd = velocity of the centre of mass in base axes",
    _jacobian,
    lambda recording: (record_com_jacobian(recording),),
    lambda centroidal, q: centroidal.jacobian(q),
    lambda centroidal, q: centroidal.jacobian_magnitudes(q),
)
CENTROIDAL_MOMENTUM_MATRIX = _centroidal(
    "centroidal_momentum_matrix",
    "Ag(q) qd = linear and angular momentum about the centre of mass, in base axes",
    _momentum_matrix,
    lambda recording: (record_centroidal_momenta(recording),),
    lambda centroidal, q: centroidal.momentum_matrix(q),
    lambda centroidal, q: centroidal.momentum_magnitudes(q),
)
