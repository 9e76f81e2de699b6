"""Arguments of kernels, with their units: motions, forces, matrices, parameters and regressors.

Units depend on the type of each joint, revolute or prismatic. All run-time parameters form one
input, `params`. In a recorded program, numbers that depend on run-time parameters are constants.
The pass `hoisting` moves their computation into the function `prepare`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dynagen.ir.program import PARAMS, Argument
from dynagen.numbers.parametric import Parameter
from dynagen.robot.joints import Joint, JointType
from dynagen.robot.model.base_parameters import (
    BaseParameter,
    StandardParameter,
    list_base_parameters,
    list_standard_parameters,
)
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import MOTOR_INERTIA

Arguments = Callable[[RobotModel], tuple[Argument, ...]]

INERTIA_UNITS = ("kg", "kg m", "kg m^2")
"""Units of inertial quantities. Entry k is the unit kg times m to the power k."""

_MOTION = {
    "q": "joint positions",
    "qd": "joint velocities",
    "qdd": "joint accelerations",
    "qd_reference": "reference joint velocities",
    "qdd_reference": "reference joint accelerations",
    "qd_after": "joint velocities after the impact",
}

_BASE_MOTION = {
    "q": "position and unit quaternion x y z w",
    "qd": "linear and angular velocity, in its own axes,",
    "qdd": "linear and angular acceleration (time derivative of its qd)",
    "qd_reference": "reference linear and angular velocity, in its own axes,",
    "qdd_reference": "time derivative of the reference velocity",
    "qd_after": "linear and angular velocity after the impact, in its own axes,",
}


def make_joint_motion(*names: str) -> Arguments:
    """Return a function that makes the arguments of a robot's joint motion, such as q and qd.

    Each argument is a vector in the order of the joints, in rad and m (per s for velocities, per
    s^2 for accelerations). A joint with one axis has one entry; mimicking joints have no entry. A
    floating base comes first: q begins with its position and its unit quaternion x y z w, and qd
    with its linear and angular velocity in the axes of the base. A spherical joint has a unit
    quaternion in q, and in qd the angular velocity in the axes of its link.

    `names` are the wanted arguments among q, qd, qdd, qd_reference, qdd_reference and qd_after.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        made = []
        for name in names:
            units = tuple(
                unit for body in model.coordinates for unit in _units(name, body.joint.type)
            )
            meaning = (
                f"{_BASE_MOTION[name]} of {model.bodies[0].name}, then {_MOTION[name]}"
                if model.floats
                else _MOTION[name]
            )
            ones = tuple(_find_quaternion_ends(model)) if name == "q" else ()
            if model.spherical_joints:
                meaning += _SPHERICAL_MOTION[name != "q"]
            made.append(Argument(name, (len(units),), units, meaning, ones=ones))
        return tuple(made)

    return arguments


_SPHERICAL_MOTION = (
    "; of a spherical joint the unit quaternion x y z w",
    "; of a spherical joint in the axes of its link",
)
"""Notes on spherical joints for documentation: for q, then for velocities and accelerations."""


def _find_quaternion_ends(model: RobotModel) -> Iterator[int]:
    """Yield the indices in q of the scalar parts of quaternions."""
    for body in model.coordinates:
        names = body.joint.type.position_names
        if "qw" in names:
            yield body.joint.idx_q + names.index("qw")


def make_joint_forces(name: str, meaning: str) -> Arguments:
    """Return a function that makes an argument for a robot: a vector of joint forces.

    The vector has one entry (N m or N) for each entry of the joint velocities qd.

    Args:
        name: name of the argument, such as "tau".
        meaning: text about the argument for documentation and generated comments.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        units = tuple(unit for body in model.coordinates for unit in body.joint.type.force_units)
        return (Argument(name, (len(units),), units, meaning),)

    return arguments


def make_inertia_matrix(name: str, per_time: str, meaning: str) -> Arguments:
    """Return a function that describes a matrix argument of a kernel for a given robot model.

    The matrix has one row and one column for each entry of the joint velocities qd, as the mass
    matrix has.

    Args:
        name: name of the argument.
        per_time: text appended to the units kg m^2, kg m and kg, such as "/s" for a Coriolis
            matrix.
        meaning: text about the argument for documentation and generated comments.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        rotates = find_rotating_entries(model)
        units = tuple(
            INERTIA_UNITS[row + column] + per_time for row in rotates for column in rotates
        )
        return (Argument(name, (len(rotates), len(rotates)), units, meaning),)

    return arguments


def find_rotating_entries(model: RobotModel) -> tuple[bool, ...]:
    """Return for every entry of the joint velocities qd whether it is angular (True) or linear."""
    return tuple(rotates for body in model.coordinates for rotates in body.joint.type.rotates)


def _units(name: str, joint: JointType) -> tuple[str, ...]:
    """Return the units of a joint's entries of the argument `name`, such as q or qd."""
    if name == "q":
        return joint.position_units
    # qd, qd_reference and qd_after are velocities; qdd and qdd_reference accelerations.
    power = "" if name.startswith("qd_") or name == "qd" else "^2"
    return tuple(f"{unit}{power}" for unit in joint.velocity_units)


_FRICTION_UNITS = {
    (1, 1): ("rad/s", ""),
    (0, 0): ("m/s", ""),
    (1, 0): ("m^2/s", "m"),
    (0, 1): ("rad/(m s)", "1/m"),
}
"""Units of the derivatives of a joint force by viscous and Coulomb friction coefficients.

The first entry of a key is 1 if the joint of the force is revolute and 0 if it is prismatic; the
second entry is for the joint of the coefficients. A value contains the unit for the viscous
coefficient, then for the Coulomb coefficient.
"""

_REGRESSOR_UNITS = {-1: "1/(m s^2)", 0: "1/s^2", 1: "m/s^2", 2: "m^2/s^2"}


def make_standard_vector(model: RobotModel) -> Argument:
    """Return the argument `pi`: the standard inertial parameters and motor inertias of a robot.

    The vector contains, link by link in the order of the description, ten inertial parameters, and
    the motor inertia if the link moves. The entries are named by link and parameter, such as
    `shoulder.Jxx`, and have the units kg, kg m and kg m^2.
    """
    standard = list_standard_parameters(model)
    joints = {body.name: body.joint for body in model.bodies}
    units = tuple(INERTIA_UNITS[_power(each.parameter, joints.get(each.link))] for each in standard)
    return Argument("pi", (len(units),), units, "standard inertial parameters", _names(standard))


def make_base_vector(model: RobotModel) -> Argument:
    """Return the argument `pi_base`: the base inertial parameters of a robot.

    The vector is ordered body by body. The entries are named by body and parameter, such as
    `shoulder.JzzR`, and have the units kg, kg m and kg m^2.

    Raises:
        UsageError: the base parameters of the robot cannot be determined.
    """
    base = list_base_parameters(model)
    units = tuple(
        INERTIA_UNITS[_power(each.parameter, model.bodies[each.body].joint)] for each in base
    )
    return Argument("pi_base", (len(units),), units, "base inertial parameters", _names(base))


def make_regressor_matrix(model: RobotModel, parameters: Argument) -> Argument:
    """Return the argument `Y`, the regressor: joint forces are Y times inertial parameters.

    The matrix has one row for each entry of the joint velocities qd, and one column for each
    parameter, in the order of `parameters`.

    Args:
        model: the robot.
        parameters: argument for the vector of standard or base parameters.
    """
    units = tuple(
        _REGRESSOR_UNITS[1 + rotates - INERTIA_UNITS.index(unit)]
        for rotates in find_rotating_entries(model)
        # Per unit kg m^p a moment has the unit m^(2-p)/s^2, a force m^(1-p)/s^2.
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


def make_parameter_row(name: str, unit: str, meaning: str, parameters: Argument) -> Argument:
    """Return an argument with the derivatives of a scalar by inertial parameters, as a vector.

    Args:
        name: name of the argument.
        unit: unit of the scalar, such as "J".
        meaning: text about the scalar for documentation and generated comments.
        parameters: argument for the vector of standard or base parameters; the derivatives are in
            the same order.
    """
    units = tuple(f"{unit}/{f'({each})' if ' ' in each else each}" for each in parameters.units)
    text = f"{meaning} per unit of the {parameters.meaning}"
    return Argument(name, parameters.shape, units, text, parameters.columns)


def add_friction_coefficients(model: RobotModel, regressor: Argument) -> Argument:
    """Return a regressor argument with two more columns for each joint with an axis.

    The two columns are the derivatives of the joint forces by the viscous and the Coulomb friction
    coefficient. These pairs follow the other columns, in the order of the joints.

    Args:
        model: the robot.
        regressor: argument for the regressor without friction.
    """
    rows, width = regressor.shape
    units: list[str] = []
    bodies = [body for body in model.bodies if body.joint.type.has_axis]
    for row, rotates in enumerate(find_rotating_entries(model)):
        units += regressor.units[row * width : (row + 1) * width]
        for body in bodies:
            kinds = rotates, body.joint.type.angular
            # Friction of a joint acts on its own entry only; the other rows are zero.
            units += _FRICTION_UNITS[kinds] if body.joint.idx_v == row else ("", "")
    columns = (
        f"{body.name}.{coefficient}" for body in bodies for coefficient in ("viscous", "coulomb")
    )
    return Argument(
        regressor.name,
        (rows, width + 2 * len(bodies)),
        tuple(units),
        f"{regressor.meaning} and the coefficients of viscous and Coulomb friction",
        (*regressor.columns, *columns),
        f"{regressor.vector}_with_friction",
    )


def _power(parameter: str, joint: Joint | None) -> int:
    """Return the exponent of the metre in the unit of an inertial parameter: 0, 1 or 2.

    `joint` is the joint that the motor drives, if the parameter is a motor inertia.
    """
    if parameter == MOTOR_INERTIA:
        return 2 if joint is not None and joint.angular else 0
    return {"m": 0, "J": 2}[parameter[0]] + (parameter in ("mx", "my", "mz"))


def _names(parameters: Sequence[StandardParameter] | Sequence[BaseParameter]) -> tuple[str, ...]:
    """Return the names of parameters."""
    return tuple(each.name for each in parameters)


def make_parameter_argument(parameters: Sequence[Parameter]) -> Argument:
    """Return the input `params` with all run-time parameters, in the order of the description."""
    units, names = tuple(each.unit for each in parameters), tuple(each.name for each in parameters)
    return Argument(PARAMS, (len(parameters),), units, "run-time parameters", names)
