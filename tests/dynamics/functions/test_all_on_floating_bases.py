"""Functions of robots with a floating base: references, Pinocchio's free flyer, identities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.formulation import DesignSpace
from dynagen.robot.description import Bearing, Friction
from dynagen.robot.edits import add_floating_base
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import (
    BY_PARAMETERS,
    heavier,
    kernel,
    optimised,
    proofs,
    random_candidate,
)
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, placed, positions_order
from tests.support.random_robots import random_floating

KNOWN = {function.name: function for function in FUNCTIONS}
UNAVAILABLE = (
    "elastic_forward_dynamics",
    "inverse_kinematics",
    "motor_forward_dynamics",
    "motor_inverse_dynamics",
    "step",
    "step_euler_derivatives",
    "step_euler_vjp",
    "step_euler_hessian",
    *BY_PARAMETERS,
)
# The reference of second derivatives evaluates inverse dynamics more than n^2 times, so
# `test_derivative_products` proves them on a smaller robot.
ELSEWHERE = ("inverse_dynamics_hessian", "forward_dynamics_hessian")
AVAILABLE = [function for function in FUNCTIONS if function.name not in (*UNAVAILABLE, *ELSEWHERE)]


def each(functions):
    return pytest.mark.parametrize("function", functions, ids=lambda function: function.name)


def kernels(description, name, method=None):
    return kernel(optimised(KNOWN[name], description, method=method))


def states(description, count=25):
    sampled = sample_states(description, ("q", "qd", "qdd", "tau"), 60, 3)
    return tuple(sampled[name][-count:] for name in ("q", "qd", "qdd", "tau"))


def assert_close(left, right, within=1e-11):
    np.testing.assert_allclose(left, right, rtol=0, atol=within * max(1.0, np.abs(right).max()))


@pytest.mark.slow
@each(AVAILABLE)
@settings(max_examples=4)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 3))
def test_every_formulation_agrees_with_both_references(function, seed, joints, formulation):
    description = random_floating(seed, joints, helical=0.2, axes=0.3, fixed_links=0.2)
    candidate = random_candidate(description, formulation)
    for method in function.methods:
        proofs(description, function, optimised(function, description, candidate, method)).require()


def test_steps_that_add_rates_to_positions_are_refused():
    model = build_model(random_floating(3, 2))
    with pytest.raises(UsageError, match="not possible for quaternions; use step_euler"):
        KNOWN["step"].require(model)
    with pytest.raises(UsageError, match="step_euler_derivatives is not available"):
        KNOWN["step_euler_derivatives"].require(model)
    assert (
        "the pose of a floating base times exp(dt twist)" in KNOWN["step_euler"].formula
    )  # q has an entry more than qd


@each(
    [
        KNOWN[name]
        for name in ("inverse_dynamics", "mass_matrix", "forward_dynamics", "base_regressor")
    ]
)
def test_joints_that_follow_others_do_so_on_a_floating_base(function):
    description = random_floating(2, 4, mimics=0.6)
    model = build_model(description)
    assert model.has_mimics
    if reason := function.availability.unavailable_because(model):
        assert "follow other joints" in reason
        return
    function = function.restrict_to_robot(model)
    for method in function.methods:
        proofs(description, function, optimised(function, description, method=method)).require()


@each(
    [
        KNOWN[name]
        for name in ("inverse_dynamics", "mass_matrix", "forward_dynamics", "gravity_forces")
    ]
)
def test_a_link_a_billionth_too_heavy_is_found(function):
    description = random_floating(1, 3, prismatic=0, inertia_form="central")
    assert not proofs(description, function, optimised(function, heavier(description))).passed


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("seed", range(3))
def test_dynamics_are_those_of_pinocchios_free_flyer(seed):
    description = random_floating(seed, 5, helical=0.2, axes=0.5, fixed_links=0.2)
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order)
    q, v, a, tau = states(description)
    found = {
        "inverse_dynamics": kernels(description, "inverse_dynamics")(q, v, a)[0],
        "gravity_forces": kernels(description, "gravity_forces")(q)[0],
        "bias_forces": kernels(description, "bias_forces")(q, v)[0],
        "mass_matrix": kernels(description, "mass_matrix")(q)[0],
        "composite": kernels(description, "forward_dynamics", "composite")(q, v, tau)[0],
        "articulated": kernels(description, "forward_dynamics", "articulated")(q, v, tau)[0],
    }
    expected = {name: np.zeros_like(values) for name, values in found.items()}
    for state in range(len(q)):
        at = q[state][places], v[state][order]
        expected["inverse_dynamics"][state, order] = pin.rnea(model, data, *at, a[state][order])
        expected["gravity_forces"][state, order] = pin.computeGeneralizedGravity(model, data, at[0])
        expected["bias_forces"][state, order] = pin.nonLinearEffects(model, data, *at)
        upper = np.triu(pin.crba(model, data, at[0]))
        expected["mass_matrix"][state][np.ix_(order, order)] = upper + np.triu(upper, 1).T
        accelerations = pin.aba(model, data, *at, tau[state][order])
        expected["composite"][state, order] = expected["articulated"][state, order] = accelerations
    for name, values in found.items():
        within = (
            1e-15 * np.linalg.cond(found["mass_matrix"]).max()
            if name in ("composite", "articulated")
            else 1e-11
        )
        assert_close(values, expected[name], max(within, 1e-12))


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("seed", range(3))
def test_derivatives_are_pinocchios_in_the_tangent_space(seed):
    description = random_floating(seed, 4, axes=0.5)
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order)
    q, v, a, tau = states(description, 10)
    inverse = kernels(description, "inverse_dynamics_derivatives")(q, v, a)
    forward = kernels(description, "forward_dynamics_derivatives")(q, v, tau)
    for state in range(len(q)):
        at = q[state][places], v[state][order]
        pin.computeRNEADerivatives(model, data, *at, a[state][order])
        block = np.ix_(order, order)
        for values, expected in zip(inverse, (data.dtau_dq, data.dtau_dv), strict=True):
            assert_close(values[state][block], expected)
        pin.computeABADerivatives(model, data, *at, tau[state][order])
        upper = np.triu(data.Minv)
        by_force = upper + np.triu(upper, 1).T
        for values, expected in zip(forward, (data.ddq_dq, data.ddq_dv, by_force), strict=True):
            assert_close(values[state][block], expected, 1e-9)


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(3))
def test_kinematics_are_pinocchios(seed):
    description = random_floating(seed, 4, axes=0.5, fixed_links=0.3)
    model, order = pinocchio_model(description)
    last = description.links[-1]
    on, pose = last, placed(last.after)
    while not on.joint.moves:
        pose = placed(on.before) * pose
        on = next(link for link in description.links if link.name == on.parent)
        pose = placed(on.after) * pose
    joint = model.getJointId(on.name)
    frame = model.addFrame(pin.Frame("tool", joint, pose, pin.FrameType.OP_FRAME))
    data, places = model.createData(), positions_order(order)
    q, v, _, _ = states(description, 10)
    rotation, position = kernels(description, "forward_kinematics")(q)
    jacobian, body = (kernels(description, name)(q)[0] for name in ("jacobian", "body_jacobian"))
    drift = kernels(description, "jacobian_dot_qd")(q, v)[0]
    for state in range(len(q)):
        at = q[state][places], v[state][order]
        pin.forwardKinematics(model, data, *at, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        assert_close(rotation[state], data.oMf[frame].rotation)
        assert_close(position[state], data.oMf[frame].translation)
        pin.computeJointJacobians(model, data, at[0])
        for values, axes in ((jacobian, pin.LOCAL_WORLD_ALIGNED), (body, pin.LOCAL)):
            assert_close(values[state][:, order], pin.getFrameJacobian(model, data, frame, axes))
        pin.forwardKinematics(model, data, *at, np.zeros(model.nv))
        acceleration = pin.getFrameClassicalAcceleration(
            model, data, frame, pin.LOCAL_WORLD_ALIGNED
        )
        assert_close(drift[state], acceleration.vector)


@pytest.mark.slow
def test_forward_dynamics_undoes_inverse_dynamics():
    description = random_floating(7, 5)
    q, v, a, _ = states(description)
    (tau,) = kernels(description, "inverse_dynamics")(q, v, a)
    for method in ("composite", "articulated"):
        assert_close(kernels(description, "forward_dynamics", method)(q, v, tau)[0], a, 1e-9)


def test_a_robot_that_nothing_holds_falls_as_one_body():
    description = random_floating(8, 4)
    q, v, _, tau = states(description)
    (a,) = kernels(description, "forward_dynamics")(q, 0 * v, 0 * tau)
    assert_close(a[:, 3:], 0 * a[:, 3:])
    assert_close(
        np.linalg.norm(a[:, :3], axis=1),
        np.linalg.norm([float(g) for g in description.gravity]) + 0 * a[:, 0],
    )


def test_the_base_bears_the_weight_of_all():
    description = random_floating(9, 5)
    mass = sum(float(link.inertial.mass) for link in description.links)
    q, *_ = states(description)
    (g,) = kernels(description, "gravity_forces")(q)
    assert_close(
        np.linalg.norm(g[:, :3], axis=1),
        mass * np.linalg.norm([float(x) for x in description.gravity]) + 0 * g[:, 0],
    )


def test_where_the_base_is_enters_no_dynamics():
    description = random_floating(10, 3)
    for name in (
        "inverse_dynamics",
        "mass_matrix",
        "forward_dynamics",
        "inverse_dynamics_derivatives",
        "regressor",
    ):
        program = optimised(KNOWN[name], description)
        read = {
            each.payload.index
            for each in program.instructions
            if getattr(each.payload, "argument", "") == "q"
        }
        assert not read & {0, 1, 2}
        assert name != "mass_matrix" or not read & set(range(7))


def test_all_parameters_of_the_base_are_observable():
    description = random_floating(11, 3)
    model = build_model(description)
    (vector,) = KNOWN["base_parameters"].outputs(model)
    assert sum(name.split(".")[0] == description.links[0].name for name in vector.columns) == 10


def test_friction_of_joints_acts_on_them_and_not_on_the_base():
    description = random_floating(14, 3)
    friction = Friction(Exact(2), Exact(3), sign="tanh", width=Exact("0.1"))
    base, *links = description.links
    rubbing = replace(
        description, links=(base, *(replace(link, friction=friction) for link in links))
    )
    for name in ("friction_forces", "regressor_with_friction", "base_regressor_with_friction"):
        proofs(rubbing, KNOWN[name], optimised(KNOWN[name], rubbing)).require()
    _, v, _, _ = states(rubbing)
    (forces,) = kernels(rubbing, "friction_forces")(v)
    assert not forces[:, :6].any()
    assert_close(forces[:, 6:], 2 * v[:, 6:] + 3 * np.tanh(v[:, 6:] / 0.1))


def test_bearings_carry_nothing_while_the_whole_robot_falls():
    description = random_floating(15, 2, prismatic=0)
    bearing = Bearing("thrust", Exact("0.1"), Exact("0.02"), Exact(0), Exact(0))
    friction = Friction(ZERO, ZERO, sign="tanh", width=Exact(1), bearings=(bearing,))
    base, *links = description.links
    rubbing = replace(
        description, links=(base, *(replace(link, friction=friction) for link in links))
    )
    q, v, _, _ = states(rubbing)
    at_rest, held = np.zeros_like(v), np.zeros_like(v)
    at_rest[:, 6:] = (
        1e-9  # all but at rest: enough for a direction, too little for a force of its own
    )
    falling = np.zeros_like(v)
    falling[:, :3] = Rotation.from_quat(q[:, 3:7]).inv().apply([float(x) for x in rubbing.gravity])
    (on_stand,), (in_fall,) = (
        kernels(rubbing, "friction_forces")(q, at_rest, each) for each in (held, falling)
    )
    assert not on_stand[:, :6].any()
    assert np.abs(on_stand[:, 6:]).max() > 1e-12
    assert np.abs(in_fall).max() < 1e-9 * np.abs(on_stand).max()


def test_the_base_has_no_axis_to_choose_axes_for():
    space = DesignSpace(build_model(random_floating(16, 4, right_angles=1.0)))
    assert all(candidate.choices[0].in_body_axes for candidate in space.usual)
    assert not any(
        "body 1 is resolved" in sentence.lower()
        for candidate in space.usual
        for sentence in candidate.sentences
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_coriolis_matrix_gives_velocity_forces_and_is_skew_beside_the_change_of_the_mass_matrix(
    seed,
):
    description = random_floating(seed, 4)
    q, v, _, _ = states(description, 10)
    (c,) = kernels(description, "coriolis_matrix")(q, v)
    assert_close(
        np.einsum("...ij,...j->...i", c, v), kernels(description, "coriolis_forces")(q, v)[0]
    )
    mass_matrix, step = kernels(description, "mass_matrix"), 1e-6
    moved = Coordinates.from_description(description).move
    ahead, behind = (mass_matrix(moved(q, sign * step * v))[0] for sign in (1, -1))
    changed = (ahead - behind) / (2 * step)
    np.testing.assert_allclose(
        changed, c + np.swapaxes(c, -1, -2), rtol=0, atol=1e-7 * np.abs(changed).max()
    )


def test_momentum_changes_by_forces_and_the_bias():
    """With d(M v)/dt = dM/dt v + M a for the accelerations that forces of zero cause."""
    description = random_floating(4, 4)
    q, v, _, tau = states(description, 10)
    (a,) = kernels(description, "forward_dynamics")(q, v, 0 * tau)
    (c,) = kernels(description, "coriolis_matrix")(q, v)
    (mass_matrix,) = kernels(description, "mass_matrix")(q)
    rate = np.einsum("...ij,...j->...i", c + np.swapaxes(c, -1, -2), v) + np.einsum(
        "...ij,...j->...i", mass_matrix, a
    )
    assert_close(kernels(description, "momentum_bias")(q, v)[0], rate, 1e-10)


def test_a_base_without_inertia_that_carries_one_joint_has_no_forward_dynamics():
    model = build_model(add_floating_base(load_robot("puma560")))
    with pytest.raises(UsageError, match="floating base base has no inertia"):
        KNOWN["forward_dynamics"].require(model)
    KNOWN["inverse_dynamics"].require(model)


def test_a_robot_may_be_one_body_that_flies():
    body = "{name: stone, joint: floating, mass: 2, com: [0.1, 0, 0], inertia: [1, 2, 2]}"
    description = parse_robot(
        f"name: stone\ngravity: [0, 0, -9.81]\nlinks:\n  - {body}\n", "stone.yaml"
    )
    for function in AVAILABLE:
        proofs(description, function, optimised(function, description)).require()


def test_a_quaternion_and_its_opposite_are_one_orientation():
    description = random_floating(12, 3)
    q, v, a, tau = states(description)
    other = np.concatenate([q[:, :3], -q[:, 3:7], q[:, 7:]], axis=1)
    for name, state in (
        ("inverse_dynamics", (v, a)),
        ("forward_dynamics", (v, tau)),
        ("jacobian", ()),
    ):
        assert_close(
            kernels(description, name)(other, *state)[0],
            kernels(description, name)(q, *state)[0],
            1e-13,
        )


@pytest.mark.slow
def test_gravity_may_have_any_direction_or_none():
    for gravity in ((0, 0, 0), (3, 0, 0), (1, -2, 3)):
        robot = random_floating(13, 2)
        description = replace(
            robot, gravity=tuple(type(robot.gravity[0])(each) for each in gravity)
        )
        for name in (
            "inverse_dynamics",
            "gravity_forces",
            "forward_dynamics",
            "inverse_dynamics_derivatives",
        ):
            proofs(description, KNOWN[name], optimised(KNOWN[name], description)).require()
