"""The table of functions that can be generated; every new function has to be added to the table."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions.centroidal_motion import (
    CENTROIDAL_MOMENTUM_DERIVATIVES,
    CENTROIDAL_MOMENTUM_DRIFT,
)
from dynagen.dynamics.functions.christoffel import CHRISTOFFEL
from dynagen.dynamics.functions.constrained_dynamics import (
    CONSTRAINED_FORWARD_DYNAMICS,
    CONTACT_FORCES,
    IMPACT,
)
from dynagen.dynamics.functions.coupled_motors import (
    MOTOR_FORWARD_DYNAMICS,
    MOTOR_INVERSE_DYNAMICS,
)
from dynagen.dynamics.functions.derivative_products import (
    FORWARD_DYNAMICS_JVP,
    FORWARD_DYNAMICS_VJP,
    INVERSE_DYNAMICS_JVP,
    INVERSE_DYNAMICS_VJP,
)
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
)
from dynagen.dynamics.functions.elastic_joints import ELASTIC_FORWARD_DYNAMICS
from dynagen.dynamics.functions.energies import (
    KINETIC_ENERGY,
    KINETIC_ENERGY_REGRESSOR,
    POTENTIAL_ENERGY,
    POTENTIAL_ENERGY_REGRESSOR,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.frame_motion import FRAME_ACCELERATION, FRAME_VELOCITY
from dynagen.dynamics.functions.hessians import (
    FORWARD_DYNAMICS_HESSIAN,
    INVERSE_DYNAMICS_HESSIAN,
)
from dynagen.dynamics.functions.integration import (
    DIFFERENCE,
    INTEGRATE,
    STEP,
    STEP_EULER,
    STEP_EULER_DERIVATIVES,
)
from dynagen.dynamics.functions.inverse_dynamics import (
    BIAS_FORCES,
    CORIOLIS_FORCES,
    FRICTION_FORCES,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_WITH_FRICTION,
    JOINT_WRENCHES,
)
from dynagen.dynamics.functions.inverse_kinematics import INVERSE_KINEMATICS
from dynagen.dynamics.functions.jacobians import (
    FORWARD_DYNAMICS_JACOBIAN,
    INVERSE_DYNAMICS_JACOBIAN,
    STEP_EULER_JACOBIAN,
)
from dynagen.dynamics.functions.kinematics import (
    BODY_JACOBIAN,
    CENTER_OF_MASS,
    CENTROIDAL_MOMENTUM_MATRIX,
    COM_JACOBIAN,
    FORWARD_KINEMATICS,
    JACOBIAN,
    JACOBIAN_DERIVATIVE,
    JACOBIAN_DOT_QD,
)
from dynagen.dynamics.functions.mass_matrix import CORIOLIS_MATRIX, MASS_MATRIX, MOMENTUM_BIAS
from dynagen.dynamics.functions.mass_matrix_inverse import MASS_MATRIX_INVERSE
from dynagen.dynamics.functions.operational_space import (
    INVERSE_OPERATIONAL_INERTIA,
    OPERATIONAL_INERTIA,
)
from dynagen.dynamics.functions.parameter_products import (
    FORWARD_DYNAMICS_PARAMETER_JACOBIAN,
    FORWARD_DYNAMICS_PARAMETER_JVP,
    FORWARD_DYNAMICS_PARAMETER_VJP,
    INVERSE_DYNAMICS_PARAMETER_JACOBIAN,
    INVERSE_DYNAMICS_PARAMETER_JVP,
    INVERSE_DYNAMICS_PARAMETER_VJP,
)
from dynagen.dynamics.functions.reference_dynamics import (
    INVERSE_DYNAMICS_REFERENCE,
    INVERSE_DYNAMICS_REFERENCE_REGRESSOR,
)
from dynagen.dynamics.functions.regressors import (
    BASE_PARAMETERS,
    BASE_REGRESSOR,
    BASE_REGRESSOR_WITH_FRICTION,
    REGRESSOR,
    REGRESSOR_WITH_FRICTION,
)
from dynagen.dynamics.functions.step_parameters import STEP_EULER_PARAMETER_JACOBIAN
from dynagen.dynamics.functions.step_products import STEP_EULER_HESSIAN, STEP_EULER_VJP
from dynagen.dynamics.functions.two_rate import BACKGROUND, BACKGROUND_INERTIA, SYNCHRONOUS

FUNCTIONS: tuple[DynamicsFunction, ...] = (
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_REFERENCE,
    GRAVITY_FORCES,
    CORIOLIS_FORCES,
    BIAS_FORCES,
    JOINT_WRENCHES,
    MASS_MATRIX,
    CORIOLIS_MATRIX,
    CHRISTOFFEL,
    MOMENTUM_BIAS,
    KINETIC_ENERGY,
    POTENTIAL_ENERGY,
    FORWARD_DYNAMICS,
    ELASTIC_FORWARD_DYNAMICS,
    MOTOR_INVERSE_DYNAMICS,
    MOTOR_FORWARD_DYNAMICS,
    CONSTRAINED_FORWARD_DYNAMICS,
    CONTACT_FORCES,
    IMPACT,
    MASS_MATRIX_INVERSE,
    INTEGRATE,
    DIFFERENCE,
    STEP,
    STEP_EULER,
    REGRESSOR,
    BASE_REGRESSOR,
    INVERSE_DYNAMICS_REFERENCE_REGRESSOR,
    REGRESSOR_WITH_FRICTION,
    BASE_REGRESSOR_WITH_FRICTION,
    BASE_PARAMETERS,
    KINETIC_ENERGY_REGRESSOR,
    POTENTIAL_ENERGY_REGRESSOR,
    FORWARD_KINEMATICS,
    INVERSE_KINEMATICS,
    JACOBIAN,
    BODY_JACOBIAN,
    JACOBIAN_DOT_QD,
    JACOBIAN_DERIVATIVE,
    FRAME_VELOCITY,
    FRAME_ACCELERATION,
    INVERSE_OPERATIONAL_INERTIA,
    OPERATIONAL_INERTIA,
    CENTER_OF_MASS,
    COM_JACOBIAN,
    CENTROIDAL_MOMENTUM_MATRIX,
    CENTROIDAL_MOMENTUM_DRIFT,
    CENTROIDAL_MOMENTUM_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
    FORWARD_DYNAMICS_DERIVATIVES,
    STEP_EULER_DERIVATIVES,
    INVERSE_DYNAMICS_JACOBIAN,
    FORWARD_DYNAMICS_JACOBIAN,
    STEP_EULER_JACOBIAN,
    INVERSE_DYNAMICS_PARAMETER_JACOBIAN,
    FORWARD_DYNAMICS_PARAMETER_JACOBIAN,
    STEP_EULER_PARAMETER_JACOBIAN,
    INVERSE_DYNAMICS_VJP,
    INVERSE_DYNAMICS_JVP,
    FORWARD_DYNAMICS_VJP,
    FORWARD_DYNAMICS_JVP,
    INVERSE_DYNAMICS_PARAMETER_VJP,
    INVERSE_DYNAMICS_PARAMETER_JVP,
    FORWARD_DYNAMICS_PARAMETER_VJP,
    FORWARD_DYNAMICS_PARAMETER_JVP,
    INVERSE_DYNAMICS_HESSIAN,
    FORWARD_DYNAMICS_HESSIAN,
    STEP_EULER_VJP,
    STEP_EULER_HESSIAN,
    FRICTION_FORCES,
    INVERSE_DYNAMICS_WITH_FRICTION,
    BACKGROUND,
    BACKGROUND_INERTIA,
    SYNCHRONOUS,
)
