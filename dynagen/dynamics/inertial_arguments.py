"""Arguments of kernels in terms of inertial parameters: the parameters themselves, and regressors, whose columns they name."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.dynamics.arguments import INERTIA_UNITS, entries_that_rotate
from dynagen.ir.program import Argument
from dynagen.robot.joints import Joint
from dynagen.robot.model.base_parameters import (
    BaseParameter,
    StandardParameter,
    base_parameters,
    standard_parameters,
)
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import MOTOR_INERTIA

_FRICTION_UNITS = {
    (1, 1): ("rad/s", ""),
    (0, 0): ("m/s", ""),
    (1, 0): ("m^2/s", "m"),
    (0, 1): ("rad/(m s)", "1/m"),
}
"""Of a coordinate's force per viscous and per Coulomb coefficient of a joint that follows it, by whether either rotates."""

_REGRESSOR_UNITS = {-1: "1/(m s^2)", 0: "1/s^2", 1: "m/s^2", 2: "m^2/s^2"}


def standard_vector(model: RobotModel) -> Argument:
    """All standard parameters, `pi`."""
    standard = standard_parameters(model)
    joints = {body.name: body.joint for body in model.bodies}
    units = tuple(INERTIA_UNITS[_power(each.parameter, joints.get(each.link))] for each in standard)
    return Argument("pi", (len(units),), units, "standard inertial parameters", _names(standard))


def base_vector(model: RobotModel) -> Argument:
    """All base parameters, `pi_base`."""
    base = base_parameters(model)
    units = tuple(
        INERTIA_UNITS[_power(each.parameter, model.bodies[each.body].joint)] for each in base
    )
    return Argument("pi_base", (len(units),), units, "base inertial parameters", _names(base))


def regressor_matrix(model: RobotModel, parameters: Argument) -> Argument:
    """A matrix `Y` of joint forces per unit of each of the parameters, one row a joint."""
    units = tuple(
        _REGRESSOR_UNITS[1 + rotates - INERTIA_UNITS.index(unit)]
        for rotates in entries_that_rotate(model)
        for unit in parameters.units
    )
    shape = model.nv, parameters.size
    return Argument(
        "Y",
        shape,
        units,
        f"joint forces per unit of the {parameters.meaning}",
        parameters.columns,
        parameters.name,
    )


def with_friction_coefficients(model: RobotModel, regressor: Argument) -> Argument:
    """A regressor with two more columns a joint, per unit of its viscous and its Coulomb friction."""
    rows, width = regressor.shape
    units: list[str] = []
    bodies = [body for body in model.bodies if not body.is_free]
    for row, rotates in enumerate(entries_that_rotate(model)):
        units += regressor.units[row * width : (row + 1) * width]
        for body in bodies:
            kinds = rotates, body.joint.type.angular
            units += _FRICTION_UNITS[kinds] if body.joint.idx_v == row else ("", "")
    columns = (
        f"{body.name}.{coefficient}" for body in bodies for coefficient in ("viscous", "coulomb")
    )
    return Argument(
        regressor.name,
        (rows, width + 2 * len(bodies)),
        tuple(units),
        f"{regressor.meaning}, and of viscous and Coulomb friction",
        (*regressor.columns, *columns),
        f"{regressor.vector}_with_friction",
    )


def _power(parameter: str, joint: Joint | None) -> int:
    """The power of the length in a parameter's unit."""
    if parameter == MOTOR_INERTIA:
        return 2 if joint is not None and joint.angular else 0
    return {"m": 0, "J": 2}[parameter[0]] + (parameter in ("mx", "my", "mz"))


def _names(parameters: Sequence[StandardParameter] | Sequence[BaseParameter]) -> tuple[str, ...]:
    return tuple(each.name for each in parameters)
