"""Functions of robots with spherical joints: references, Pinocchio and MuJoCo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.formulation import PlacedModel
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import Bearing, Friction, RobotDescription
from dynagen.robot.joints import SPHERICAL, Joint
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.model.regrouping import find_changes_that_keep_loads, regroup
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import heavier, kernel, optimised, proofs, random_candidate
from tests.support.libraries import mujoco
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, random_floating

KNOWN = {function.name: function for function in FUNCTIONS}
QUICK = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives")
# The references evaluate inverse dynamics more than n^2 times: proved on small robots below.
HESSIANS = ("inverse_dynamics_hessian", "forward_dynamics_hessian")
OF_TRANSMISSIONS = (
    "elastic_forward_dynamics",
    "motor_forward_dynamics",
    "motor_inverse_dynamics",
)
AVAILABLE = [
    function
    for function in FUNCTIONS
    # Two spherical joints on one path turn about their common line: J M^-1 J^T is singular.
    if function.availability.with_spherical_joints
    and function.name not in ("operational_inertia", *OF_TRANSMISSIONS, *HESSIANS)
]


def make_spherical(description: RobotDescription, *places: int) -> RobotDescription:
    """Replace the joints of some links by spherical ones."""
    links = [
        replace(link, joint=Joint(SPHERICAL), motor_inertia=ZERO) if place in places else link
        for place, link in enumerate(description.links)
    ]
    return replace(description, links=number_coordinates(links))


def random_spherical(seed: int, *places: int, joints: int = 4) -> RobotDescription:
    return make_spherical(
        random_description(seed, joints, helical=0.2, axes=0.3, branches=True), *places
    )


def each(functions):
    return pytest.mark.parametrize("function", functions, ids=lambda function: function.name)


def prove(description: RobotDescription, function, formulation: int = 0) -> None:
    model = build_model(description)
    if function.availability.explain_absence(model):
        return
    candidate = random_candidate(description, formulation)
    for method in function.methods:
        proofs(description, function, optimised(function, description, candidate, method)).require()


@pytest.mark.slow
@each(AVAILABLE)
@pytest.mark.parametrize(("seed", "places"), [(1, (0,)), (2, (1, 3)), (3, (2,)), (4, (0, 1))])
def test_every_formulation_agrees_with_both_references(function, seed, places):
    prove(random_spherical(seed, *places), function, seed % 4)


@each([KNOWN[name] for name in QUICK])
def test_trees_agree_with_both_references(function):
    prove(random_spherical(7, 0, 2, joints=3), function, 1)


@pytest.mark.slow
@each([KNOWN[name] for name in (*QUICK, "coriolis_matrix", "jacobian_dot_qd", "step_euler")])
def test_a_floating_base_may_carry_them(function):
    prove(make_spherical(random_floating(3, 3), 2, 3), function, 2)


@each([KNOWN[name] for name in ("difference", "inverse_dynamics_jacobian", "joint_wrenches")])
def test_coordinates_with_a_quaternion_agree_with_both_references(function):
    prove(random_spherical(2, 1, joints=2), function)


@pytest.mark.slow
@each([KNOWN[name] for name in HESSIANS])
@pytest.mark.parametrize("places", [(0,), (1,)])
def test_second_derivatives_agree_with_both_references(function, places):
    prove(random_spherical(6, *places, joints=2), function)


WAIST = "- {name: waist, joint: revolute, axis: [0, 0, 1], BODY}"


@pytest.mark.parametrize(
    ("gravity", "before", "height", "count"),
    [
        # Six moments and three first moments of the ball, and eight of the link that it carries.
        ("[1, 2, -9.81]", "", 0.4, 17),
        ("[0, 0, 0]", "", 0.4, 14),  # no weight: the ball has no first moments
        ("[0, 0, 0]", WAIST, 0.4, 15),  # the waist does not move the centre of the ball
        ("[0, 0, -9.81]", WAIST, 0.4, 18),
        ("[1, 2, -9.81]", "- {name: slide, joint: prismatic, axis: [0, 0, 1], BODY}", 0, 19),
    ],
)
def test_base_parameters_are_those_of_the_references(gravity, before, height, count):
    """The references find them from the rank of their regressors."""
    body = "mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]"
    text = f"""
name: ball
gravity: {gravity}
links:
{before}
- {{name: ball, joint: spherical, origin: {{xyz: [0, 0, {height}]}}, BODY}}
- {{name: arm, joint: revolute, axis: [0, 1, 0], origin: {{xyz: [0.3, 0, 0.1]}}, BODY}}
"""
    robot = parse_robot(text.replace("BODY", body), "ball.yaml")
    (argument,) = KNOWN["base_parameters"].outputs(build_model(robot))
    assert argument.size == count
    for name in ("base_parameters", "base_regressor"):
        prove(robot, KNOWN[name])


def test_mass_moves_to_the_carrier_of_a_spherical_joint():
    model = regroup(build_model(random_spherical(2, 1, 3)))
    masses = [body.inertial.mass for body in model.bodies if body.column is not None]
    assert len(masses) == 6
    assert not any(masses)


def test_difference_undoes_integrate():
    arm = random_spherical(2, 1, 3)
    states = sample_states(arm, ("q", "motion"), 40)
    q, motion = states["q"], states["motion"]
    motion /= np.linalg.norm(motion, axis=1, keepdims=True) + 1  # angles below 180 degrees
    (after,) = kernel(optimised(KNOWN["integrate"], arm))(q, motion)
    last = build_model(arm).spherical_joints[-1].joint.idx_q
    after[::2, last : last + 4] *= -1  # the same rotation
    (found,) = kernel(optimised(KNOWN["difference"], arm))(q, after)
    np.testing.assert_allclose(found, motion, rtol=0, atol=1e-13)


@each([KNOWN[name] for name in ("inverse_dynamics", "forward_dynamics")])
def test_a_link_a_billionth_too_heavy_is_found(function):
    description = random_spherical(1, 0, 2)
    assert not proofs(description, function, optimised(function, heavier(description))).passed


def test_inertia_stays_behind_them_if_a_joint_before_has_a_bearing():
    arm = random_spherical(4, 1, joints=2)
    bearing = Bearing("journal", Exact("0.1"), Exact("0.05"), Exact("0.2"), ZERO)
    friction = Friction(Exact(1), Exact(2), bearings=(bearing,))
    hip, knee = arm.links
    arm = replace(arm, links=(replace(hip, friction=friction), knee))
    regrouped = PlacedModel(build_model(arm), find_changes_that_keep_loads).resolve()
    function = KNOWN["inverse_dynamics_with_friction"]
    proofs(arm, function, optimised(function, arm, regrouped)).require()


def test_functions_without_spherical_joints_say_so():
    model = build_model(random_spherical(1, 1))
    for name in ("step", "step_euler_derivatives", "step_euler_vjp"):
        with pytest.raises(UsageError, match=r"spherical joint|not possible for quaternions"):
            KNOWN[name].require(model)


ARM = """
name: arm
gravity: [1, -2, -9.81]
links:
- {name: hip, joint: spherical, origin: {xyz: [0.1, 0.2, 0.3], rpy: [0.3, 0, 0.2]}, BODY}
- {name: knee, joint: revolute, origin: {xyz: [0, 0.2, 0.4]}, axis: [0, 1, 0], BODY}
- {name: ankle, joint: spherical, origin: {xyz: [0.1, 0, -0.4], rpy: [0, 0, 0.5]}, BODY}
""".replace("BODY", "mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]")


def arm_and_states():
    description = parse_robot(ARM, "arm.yaml")
    states = sample_states(description, ("q", "qd", "qdd"), 40)
    return description, states["q"], states["qd"], states["qdd"]


def assert_equal(computed, expected, within=1e-12):
    np.testing.assert_allclose(computed, expected, rtol=0, atol=within * np.abs(expected).max())


@pytest.mark.tools
def test_dynamics_and_derivatives_are_pinocchios():
    description, q, v, a = arm_and_states()
    model, _ = pinocchio_model(description)
    data = model.createData()
    names = ("inverse_dynamics", "inverse_dynamics_derivatives", "integrate", "coriolis_forces")
    made = {name: kernel(optimised(KNOWN[name], description)) for name in names}
    (forces,), derivatives = made["inverse_dynamics"](q, v, a), made[names[1]](q, v, a)
    (moved,) = made["integrate"](q, v)
    for state in range(len(q)):
        at = q[state], v[state], a[state]
        assert_equal(forces[state], pin.rnea(model, data, *at))
        assert_equal(moved[state], pin.integrate(model, q[state], v[state]))
        pin.computeRNEADerivatives(model, data, *at)
        assert_equal(derivatives[0][state], data.dtau_dq)
        assert_equal(derivatives[1][state], data.dtau_dv)


MJCF = """<mujoco><compiler angle="radian" eulerseq="zyx"/><option gravity="1 -2 -9.81"/><worldbody>
<body pos=".1 .2 .3" euler=".2 0 .3"><joint type="ball"/>BODY
<body pos="0 .2 .4"><joint axis="0 1 0"/>BODY
<body pos=".1 0 -.4" euler=".5 0 0"><joint type="ball"/>BODY</body></body></body>
</worldbody></mujoco>""".replace(
    "BODY", '<inertial mass="2" pos=".1 .2 .3" fullinertia=".3 .4 .5 .01 .02 .03"/>'
)


@pytest.mark.tools
def test_dynamics_are_mujocos(tmp_path):
    description, q, v, a = arm_and_states()
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    (forces,) = kernel(optimised(KNOWN["inverse_dynamics"], description))(q, v, a)
    (tmp_path / "arm.xml").write_text(MJCF)
    read = load_robot(tmp_path / "arm.xml")
    assert_equal(make_references(read)[0].compute_inverse_dynamics(q, v, a), forces)
    for state in range(len(q)):
        # MuJoCo's quaternions are w, x, y, z.
        data.qpos = q[state][[3, 0, 1, 2, 4, 8, 5, 6, 7]]
        data.qvel, data.qacc = v[state], a[state]
        mujoco.mj_inverse(model, data)
        assert_equal(forces[state], data.qfrc_inverse)
