"""The table of functions that can be generated; every new function has to be added to the table."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction
from dynagen.on_demand import Registry

_PLACES = {
    "inverse_dynamics": "inverse_dynamics.INVERSE_DYNAMICS",
    "inverse_dynamics_reference": "reference_dynamics.INVERSE_DYNAMICS_REFERENCE",
    "gravity_forces": "inverse_dynamics.GRAVITY_FORCES",
    "coriolis_forces": "inverse_dynamics.CORIOLIS_FORCES",
    "bias_forces": "inverse_dynamics.BIAS_FORCES",
    "joint_wrenches": "inverse_dynamics.JOINT_WRENCHES",
    "mass_matrix": "mass_matrix.MASS_MATRIX",
    "coriolis_matrix": "mass_matrix.CORIOLIS_MATRIX",
    "christoffel": "christoffel.CHRISTOFFEL",
    "momentum_bias": "mass_matrix.MOMENTUM_BIAS",
    "kinetic_energy": "energies.KINETIC_ENERGY",
    "potential_energy": "energies.POTENTIAL_ENERGY",
    "forward_dynamics": "forward_dynamics.FORWARD_DYNAMICS",
    "elastic_forward_dynamics": "elastic_joints.ELASTIC_FORWARD_DYNAMICS",
    "motor_inverse_dynamics": "coupled_motors.MOTOR_INVERSE_DYNAMICS",
    "motor_forward_dynamics": "coupled_motors.MOTOR_FORWARD_DYNAMICS",
    "constrained_forward_dynamics": "constrained_dynamics.CONSTRAINED_FORWARD_DYNAMICS",
    "contact_forces": "constrained_dynamics.CONTACT_FORCES",
    "impact": "constrained_dynamics.IMPACT",
    "mass_matrix_inverse": "mass_matrix_inverse.MASS_MATRIX_INVERSE",
    "integrate": "integration.INTEGRATE",
    "difference": "integration.DIFFERENCE",
    "step": "integration.STEP",
    "step_euler": "integration.STEP_EULER",
    "regressor": "regressors.REGRESSOR",
    "base_regressor": "regressors.BASE_REGRESSOR",
    "inverse_dynamics_reference_regressor": (
        "reference_dynamics.INVERSE_DYNAMICS_REFERENCE_REGRESSOR"
    ),
    "regressor_with_friction": "regressors.REGRESSOR_WITH_FRICTION",
    "base_regressor_with_friction": "regressors.BASE_REGRESSOR_WITH_FRICTION",
    "base_parameters": "regressors.BASE_PARAMETERS",
    "kinetic_energy_regressor": "energies.KINETIC_ENERGY_REGRESSOR",
    "potential_energy_regressor": "energies.POTENTIAL_ENERGY_REGRESSOR",
    "forward_kinematics": "kinematics.FORWARD_KINEMATICS",
    "inverse_kinematics": "inverse_kinematics.INVERSE_KINEMATICS",
    "jacobian": "kinematics.JACOBIAN",
    "body_jacobian": "kinematics.BODY_JACOBIAN",
    "jacobian_dot_qd": "kinematics.JACOBIAN_DOT_QD",
    "jacobian_derivative": "kinematics.JACOBIAN_DERIVATIVE",
    "frame_velocity": "frame_motion.FRAME_VELOCITY",
    "frame_acceleration": "frame_motion.FRAME_ACCELERATION",
    "inverse_operational_inertia": "operational_space.INVERSE_OPERATIONAL_INERTIA",
    "operational_inertia": "operational_space.OPERATIONAL_INERTIA",
    "center_of_mass": "kinematics.CENTER_OF_MASS",
    "com_jacobian": "kinematics.COM_JACOBIAN",
    "centroidal_momentum_matrix": "kinematics.CENTROIDAL_MOMENTUM_MATRIX",
    "centroidal_momentum_matrix_dot_qd": "centroidal_motion.CENTROIDAL_MOMENTUM_DRIFT",
    "centroidal_momentum_derivatives": "centroidal_motion.CENTROIDAL_MOMENTUM_DERIVATIVES",
    "inverse_dynamics_derivatives": "derivatives.INVERSE_DYNAMICS_DERIVATIVES",
    "forward_dynamics_derivatives": "derivatives.FORWARD_DYNAMICS_DERIVATIVES",
    "step_euler_derivatives": "integration.STEP_EULER_DERIVATIVES",
    "inverse_dynamics_jacobian": "jacobians.INVERSE_DYNAMICS_JACOBIAN",
    "forward_dynamics_jacobian": "jacobians.FORWARD_DYNAMICS_JACOBIAN",
    "step_euler_jacobian": "jacobians.STEP_EULER_JACOBIAN",
    "inverse_dynamics_parameter_jacobian": (
        "parameter_products.INVERSE_DYNAMICS_PARAMETER_JACOBIAN"
    ),
    "forward_dynamics_parameter_jacobian": (
        "parameter_products.FORWARD_DYNAMICS_PARAMETER_JACOBIAN"
    ),
    "step_euler_parameter_jacobian": "step_parameters.STEP_EULER_PARAMETER_JACOBIAN",
    "inverse_dynamics_vjp": "derivative_products.INVERSE_DYNAMICS_VJP",
    "inverse_dynamics_jvp": "derivative_products.INVERSE_DYNAMICS_JVP",
    "forward_dynamics_vjp": "derivative_products.FORWARD_DYNAMICS_VJP",
    "forward_dynamics_jvp": "derivative_products.FORWARD_DYNAMICS_JVP",
    "inverse_dynamics_parameter_vjp": "parameter_products.INVERSE_DYNAMICS_PARAMETER_VJP",
    "inverse_dynamics_parameter_jvp": "parameter_products.INVERSE_DYNAMICS_PARAMETER_JVP",
    "forward_dynamics_parameter_vjp": "parameter_products.FORWARD_DYNAMICS_PARAMETER_VJP",
    "forward_dynamics_parameter_jvp": "parameter_products.FORWARD_DYNAMICS_PARAMETER_JVP",
    "inverse_dynamics_hessian": "hessians.INVERSE_DYNAMICS_HESSIAN",
    "forward_dynamics_hessian": "hessians.FORWARD_DYNAMICS_HESSIAN",
    "step_euler_vjp": "step_products.STEP_EULER_VJP",
    "step_euler_hessian": "step_products.STEP_EULER_HESSIAN",
    "friction_forces": "inverse_dynamics.FRICTION_FORCES",
    "inverse_dynamics_with_friction": "inverse_dynamics.INVERSE_DYNAMICS_WITH_FRICTION",
    "background": "two_rate.BACKGROUND",
    "background_inertia": "two_rate.BACKGROUND_INERTIA",
    "synchronous": "two_rate.SYNCHRONOUS",
}
FUNCTIONS: Registry[DynamicsFunction] = Registry(
    {name: f"{__name__}.{place}" for name, place in _PLACES.items()}
)
"""The functions in the order of deliveries."""
