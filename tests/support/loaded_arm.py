"""An arm with everything that a description can have, small enough to generate every function for
it in seconds.
"""

from dynagen.pipeline.driver import Generation, Settings
from dynagen.robot.loading import parse_robot
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM, REFUSE_WRENCHES
from tests.support.generated_once import generated

TEXT = """
name: loaded
convention: modified
gravity: [0, 0, -9.81]
parameters:
  reach: {value: 0.4, unit: m, runtime: true}
payload: true
external_wrench: true
links:
  - name: shoulder
    joint: revolute
    dh: {alpha: -pi/2, a: 0, d: 0.2}
    mass: 3
    com: [0.2, 0.01, 0]
    inertia: [0.01, 0.1, 0.1]
    motor: {inertia: 0.5}
    friction: {viscous: 0.5, coulomb: {positive: 0.8, negative: 0.7},
      stribeck: {static: 1.2, velocity: 0.1}}
  - name: elbow
    joint: revolute
    dh: {alpha: pi/2, a: reach, d: 0}
    mass: 2
    com: [0.1, 0, 0.02]
    inertia: [0.01, 0.05, 0.05]
    friction: {viscous: 0.1, coulomb: 0.2, sign: tanh, width: 0.01, transmission: {efficiency: 0.9}}
  - name: slide
    joint: prismatic
    dh: {alpha: pi/2, a: 0, theta: 0.3}
    mass: 1
    com: [0, 0, 0.1]
    inertia: [0.01, 0.01, 0.002]
    friction: {coulomb: 2, sign: linear, width: 0.02,
      bearings: [{type: linear, coefficient: 0.1, length: 0.3}]}
"""
LOADED_ARM = parse_robot(TEXT, "loaded.yaml")

# Those on request too; base parameters are refused where a run-time parameter enters the geometry.
EVERY_FUNCTION = tuple(
    function.name
    for function in FUNCTIONS_OF_ANY_ARM
    if not function.name.startswith("base_") and function.name not in REFUSE_WRENCHES
)
SOME_FUNCTIONS = (
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics",
    "friction_forces",
    "regressor_with_friction",
    "mass_matrix_inverse",
    "forward_kinematics",
    "jacobian",
    "kinetic_energy",
    "step",
)
"""Functions of all kinds for tests of every function that take long: with a status, friction, a
matrix, a number or several results."""


def loaded_arm_in_c(
    real: str, batch: bool = False, functions: tuple[str, ...] = EVERY_FUNCTION
) -> Generation:
    """Functions of the arm in C, double or float, not proved."""
    return generated(LOADED_ARM, Settings("c", functions, verify=False, real=real, batch=batch))
