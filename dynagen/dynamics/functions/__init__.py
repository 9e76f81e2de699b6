"""The functions that can be generated, one module each; add one there and to the tuple here, and it is everywhere."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions.background import BACKGROUND, BACKGROUND_INERTIA
from dynagen.dynamics.functions.base_parameters import BASE_PARAMETERS
from dynagen.dynamics.functions.base_regressor import BASE_REGRESSOR
from dynagen.dynamics.functions.bias_forces import BIAS_FORCES, CORIOLIS_FORCES
from dynagen.dynamics.functions.centroidal import (
    CENTER_OF_MASS,
    CENTROIDAL_MOMENTUM_MATRIX,
    COM_JACOBIAN,
)
from dynagen.dynamics.functions.coriolis_matrix import CORIOLIS_MATRIX
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.forward_dynamics_derivatives import FORWARD_DYNAMICS_DERIVATIVES
from dynagen.dynamics.functions.forward_kinematics import FORWARD_KINEMATICS
from dynagen.dynamics.functions.friction_forces import FRICTION_FORCES
from dynagen.dynamics.functions.gravity_forces import GRAVITY_FORCES
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics_derivatives import INVERSE_DYNAMICS_DERIVATIVES
from dynagen.dynamics.functions.jacobian import BODY_JACOBIAN, JACOBIAN
from dynagen.dynamics.functions.jacobian_dot_qd import JACOBIAN_DOT_QD
from dynagen.dynamics.functions.joint_wrenches import JOINT_WRENCHES
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.functions.momentum_bias import MOMENTUM_BIAS
from dynagen.dynamics.functions.regressor import REGRESSOR
from dynagen.dynamics.functions.regressor_with_friction import (
    BASE_REGRESSOR_WITH_FRICTION,
    REGRESSOR_WITH_FRICTION,
)
from dynagen.dynamics.functions.step import STEP
from dynagen.dynamics.functions.step_euler import STEP_EULER
from dynagen.dynamics.functions.step_euler_derivatives import STEP_EULER_DERIVATIVES
from dynagen.dynamics.functions.synchronous import SYNCHRONOUS

FUNCTIONS: tuple[DynamicsFunction, ...] = (
    INVERSE_DYNAMICS,
    GRAVITY_FORCES,
    CORIOLIS_FORCES,
    BIAS_FORCES,
    JOINT_WRENCHES,
    MASS_MATRIX,
    CORIOLIS_MATRIX,
    MOMENTUM_BIAS,
    FORWARD_DYNAMICS,
    STEP,
    STEP_EULER,
    REGRESSOR,
    BASE_REGRESSOR,
    REGRESSOR_WITH_FRICTION,
    BASE_REGRESSOR_WITH_FRICTION,
    BASE_PARAMETERS,
    FORWARD_KINEMATICS,
    JACOBIAN,
    BODY_JACOBIAN,
    JACOBIAN_DOT_QD,
    CENTER_OF_MASS,
    COM_JACOBIAN,
    CENTROIDAL_MOMENTUM_MATRIX,
    INVERSE_DYNAMICS_DERIVATIVES,
    FORWARD_DYNAMICS_DERIVATIVES,
    STEP_EULER_DERIVATIVES,
    FRICTION_FORCES,
    BACKGROUND,
    BACKGROUND_INERTIA,
    SYNCHRONOUS,
)
