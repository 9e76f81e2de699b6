"""Dynamics with frames held fixed: proof, faults, identities, status and refusals."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import dynagen
from dynagen.dynamics.functions.constrained_dynamics import (
    make_constrained_forward_dynamics,
    make_contact_forces,
    make_impact,
)
from dynagen.dynamics.functions.frame_motion import FRAME_ACCELERATION, FRAME_VELOCITY
from dynagen.dynamics.functions.kinematics import FORWARD_KINEMATICS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Operation
from dynagen.numbers.exact import Exact
from dynagen.numbers.irrational import to_mpmath
from dynagen.robot.edits import add_floating_base
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, proofs

PUMA, SOLO = load_robot("puma560"), load_robot("solo12")
FEET = "FL_FOOT,FR_FOOT,HL_FOOT,HR_FOOT"
MAKERS = [make_constrained_forward_dynamics, make_contact_forces, make_impact]


def recorded(function, description):
    return function.build(build_model(description))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("frames", ["tool", "tool:frame"])
def test_a_held_arm_agrees_with_the_whole_kkt_system(make, frames):
    proofs(PUMA, make(frames), recorded(make(frames), PUMA)).require()


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("robot", [SOLO, add_floating_base(SOLO)])
def test_a_quadruped_on_four_feet_agrees_with_the_whole_kkt_system(robot, make):
    proofs(robot, make(FEET), recorded(make(FEET), robot)).require()


@pytest.mark.slow
def test_a_trunk_a_billionth_too_heavy_is_found():
    """The last link's mass rests on a held tool and hardly matters; the trunk's mass does."""
    robot, function = add_floating_base(SOLO), make_constrained_forward_dynamics(FEET)
    trunk, *legs = robot.links
    inertial = replace(trunk.inertial, mass=trunk.inertial.mass * Exact("1.000000001"))
    wrong = replace(robot, links=(replace(trunk, inertial=inertial), *legs))
    assert not proofs(robot, function, recorded(function, wrong)).passed


def test_near_singular_legs_the_exact_value_of_the_program_is_the_solution_of_the_kkt_system():
    """Only rounding grows there: by the condition of J M^-1 J^T, in the program alone."""
    function = make_constrained_forward_dynamics("FL_FOOT")
    program = recorded(function, SOLO)
    sizes = {argument.name: argument.size for argument in program.inputs}
    sampled = sample_states(SOLO, tuple(sizes), 1000, sizes=sizes)
    reference = make_references(SOLO)[0]
    columns = reference.find_frame("FL_FOOT").compute_jacobian(sampled["q"])[:, :3]
    condition = np.linalg.cond(columns @ np.swapaxes(columns, 1, 2))
    (worst,) = np.flatnonzero(condition == condition[condition < 1e5].max())
    state = [sampled[name][worst : worst + 1] for name in sizes]
    precise = Arithmetic(
        lambda value: to_mpmath(value.to_fraction()),
        {Operation.SINE: mpmath.sin, Operation.COSINE: mpmath.cos, Operation.MINIMUM: min},
    )
    with mpmath.workdps(50):
        numbers = [list(map(mpmath.mpf, map(float, each[0]))) for each in state]
        exact = evaluate(program, dict(zip(sizes, numbers, strict=True)), precise)
    expected, _ = function.expected_results.outputs(reference, *state)
    found = np.array([float(value) for value in exact["qdd"]])
    assert np.abs(expected[0] - found).max() <= 1e-12 * np.abs(found).max()


def test_the_held_point_accelerates_by_the_terms_of_baumgarte():
    program = recorded(make_constrained_forward_dynamics("tool"), PUMA)
    sizes = {argument.name: argument.size for argument in program.inputs}
    sampled = sample_states(PUMA, tuple(sizes), 100, sizes=sizes)
    q, qd, tau, anchor, gains = (sampled[name][-20:] for name in sizes)
    qdd, *_ = kernel(program)(q, qd, tau, anchor, gains)
    (velocity,) = kernel(recorded(FRAME_VELOCITY, PUMA))(q, qd)
    (acceleration,) = kernel(recorded(FRAME_ACCELERATION, PUMA))(q, qd, qdd)
    _, position = kernel(recorded(FORWARD_KINEMATICS, PUMA))(q)
    wanted = -gains[:, :1] * (position - anchor) - gains[:, 1:] * velocity[:, :3]
    scale = np.abs(qdd).max(axis=-1, keepdims=True)
    assert np.all(np.abs(acceleration[:, :3] - wanted) <= 1e-11 * scale)


def test_a_rotated_hand_returns_to_its_anchor():
    """For a small rotation e from the anchor the angular acceleration is -stiffness e."""
    program = recorded(make_constrained_forward_dynamics("tool:frame"), PUMA)
    q = np.array([[0.3, -0.8, 0.4, 0.2, 0.7, -0.5]])
    rotation, position = kernel(recorded(FORWARD_KINEMATICS, PUMA))(q)
    small = np.array([1e-5, -2e-5, 3e-5])
    x, y, z = small
    turned = (np.eye(3) - np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])) @ rotation[0]
    still = np.zeros((1, 6))
    qdd, *_ = kernel(program)(
        q, still, still, position, turned.reshape(1, 9), np.array([[100.0, 0.0]])
    )
    (acceleration,) = kernel(recorded(FRAME_ACCELERATION, PUMA))(q, still, qdd)
    np.testing.assert_allclose(acceleration[0], [0, 0, 0, *(-100 * small)], atol=1e-7)


def test_after_the_impact_the_point_rests_and_energy_is_lost():
    program = recorded(make_impact("tool"), PUMA)
    sampled = sample_states(PUMA, ("q", "qd"), 100)
    q, qd = (sampled[name][-20:] for name in ("q", "qd"))
    after, _, _ = kernel(program)(q, qd)
    (velocity,) = kernel(recorded(FRAME_VELOCITY, PUMA))(q, after)
    assert np.abs(velocity[:, :3]).max() <= 1e-11 * np.abs(qd).max()
    mass = make_references(PUMA)[0]
    rest = 0 * qd
    energies = [
        np.sum(v * mass.compute_inverse_dynamics(q, rest, v, gravity=False), axis=-1)
        for v in (qd, after)
    ]
    assert np.all(energies[1] < energies[0])


@pytest.mark.slow
def test_the_status_is_one_where_constraints_are_dependent(language):
    """A straight leg cannot accelerate its foot along itself."""
    solve = dynagen.compile(SOLO, "impact@FL_FOOT", lang=language)
    qd = np.ones((4, 12))
    q = np.tile([0.1, 0.5, 1.0] * 4, (4, 1))
    q[1, 2], q[2, 2], q[3, 0] = 0, 1e-5, np.nan
    *_, status = solve(q, qd)
    assert status.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("robot", "frames", "message"),
    [
        ("scara", "tool:frame", "rank 4"),
        ("puma560", "tool,tool", "2 times"),
        ("puma560", "nothing", "no frame `nothing`"),
    ],
)
def test_a_set_without_unique_forces_is_refused(robot, frames, message):
    with pytest.raises(UsageError, match=message):
        find_functions([f"constrained_forward_dynamics@{frames}"], build_model(load_robot(robot)))
