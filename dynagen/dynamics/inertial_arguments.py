"""Arguments of kernels in terms of inertial parameters: the parameters themselves, and regressors, whose columns they name."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.description.joints import Joint
from dynagen.dynamics.arguments import INERTIA_UNITS
from dynagen.ir.program import Argument
from dynagen.model.base_parameters import BaseParameter, StandardParameter, base_parameters, standard_parameters
from dynagen.model.model import RobotModel
from dynagen.model.regrouping import MOTOR_INERTIA

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
    units = tuple(INERTIA_UNITS[_power(each.parameter, model.bodies[each.body].joint)] for each in base)
    return Argument("pi_base", (len(units),), units, "base inertial parameters", _names(base))


def regressor_matrix(model: RobotModel, parameters: Argument) -> Argument:
    """A matrix `Y` of joint forces per unit of each of the parameters, one row a joint."""
    units = tuple(
        _REGRESSOR_UNITS[1 + body.joint.type.angular - INERTIA_UNITS.index(unit)]
        for body in model.bodies
        for unit in parameters.units
    )
    shape = len(model.bodies), parameters.size
    return Argument(
        "Y", shape, units, f"joint forces per unit of the {parameters.meaning}", parameters.columns, parameters.name
    )


def with_friction_coefficients(model: RobotModel, regressor: Argument) -> Argument:
    """A regressor with two more columns a joint, per unit of its viscous and its Coulomb friction."""
    rows, width = regressor.shape
    rates = [body.joint.type.position_unit + "/s" for body in model.bodies]
    units: list[str] = []
    for row in range(rows):
        units += regressor.units[row * width : (row + 1) * width]
        for rate, body in zip(rates, model.bodies, strict=True):
            units += [rate, ""] if body is model.bodies[row] else ["", ""]
    columns = (f"{body.name}.{coefficient}" for body in model.bodies for coefficient in ("viscous", "coulomb"))
    return Argument(
        regressor.name,
        (rows, width + 2 * rows),
        tuple(units),
        f"{regressor.meaning}, and of viscous and Coulomb friction",
        (*regressor.columns, *columns),
        f"{regressor.vector}_with_friction",
    )


def _power(parameter: str, joint: Joint | None) -> int:
    """Of the length in a parameter's unit."""
    if parameter == MOTOR_INERTIA:
        return 2 if joint is not None and joint.angular else 0
    return {"m": 0, "J": 2}[parameter[0]] + (parameter in ("mx", "my", "mz"))


def _names(parameters: Sequence[StandardParameter] | Sequence[BaseParameter]) -> tuple[str, ...]:
    return tuple(each.name for each in parameters)
