"""Inverse kinematics in closed form: all structures of arms, branches, reach and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.dynamics.algorithms.arm_geometry import Arm, Structure, find_arm
from dynagen.dynamics.functions.inverse_kinematics import INVERSE_KINEMATICS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs
from tests.support.generated_once import compiled, generated, proved
from tests.support.languages import languages_without_tool

PARALLEL, UP, DOWN = "0", "pi/2", "-pi/2"


def make_arm(*rows, tool="[0.3, 0.1, 0.2]", rpy="[0.4, -0.3, 0.2]", extra=""):
    """An arm from rows (joint, alpha, a, offset); the offset is d or theta."""
    links = []
    for number, (joint, alpha, a, offset) in enumerate(rows):
        fixed = "d" if joint == "revolute" else "theta"
        links.append(
            f"  - {{name: link{number}, joint: {joint}, "
            f"dh: {{alpha: {alpha}, a: {a}, {fixed}: {offset}}}, mass: 1}}"
        )
    frame = f"frames:\n  - {{name: tool, link: link{len(rows) - 1}, xyz: {tool}, rpy: {rpy}}}"
    text = "\n".join(
        ["name: arm", "convention: modified", "gravity: [0, 0, -9.81]", "links:", *links, frame]
    )
    return parse_robot(text + "\n" + extra, "arm.yaml")


def r(alpha, a, d):
    return ("revolute", alpha, a, d)


def p(alpha, a, theta):
    return ("prismatic", alpha, a, theta)


ARMS = {
    # The PUMA's kind: with and without offsets, and with opposite axes.
    "offset shoulder": (
        Structure.LAST_PARALLEL,
        4,
        [r(0, 0, 0.5), r(DOWN, 0.1, 0.2), r(0, 0.4, -0.1)],
    ),
    "no offset": (Structure.LAST_PARALLEL, 4, [r(0, 0, 0), r(UP, 0, 0), r(0, 0.4, 0)]),
    "tilted": (Structure.LAST_PARALLEL, 4, [r(0.2, 0.1, 0.5), r(0.7, 0.1, 0.2), r("pi", 0.4, 0.1)]),
    "on a rail": (Structure.LAST_PARALLEL, 2, [p(UP, 0, 0), r(0.6, 0.1, 0.2), r(0, 0.4, 0.1)]),
    "two parallel, one across": (
        Structure.FIRST_PARALLEL,
        4,
        [r(0, 0, 0.5), r("pi", 0.5, 0.1), r(UP, 0.3, 0.2)],
    ),
    "SCARA": (Structure.FIRST_PARALLEL, 2, [r(0, 0, 0.5), r(0, 0.5, 0.1), p("pi", 0.3, 0.2)]),
    "SCARA with a tilted quill": (
        Structure.FIRST_PARALLEL,
        2,
        [r(0, 0, 0), r(0, 0.5, 0), p(0.4, 0.3, 0.2)],
    ),
    "cylindrical": (Structure.LAST_PRISMATIC, 2, [r(0, 0, 0.1), p(0, 0.2, 0.3), p(UP, 0.1, 0.4)]),
    "Cartesian": (Structure.LAST_PRISMATIC, 1, [p(0, 0, 0.1), p(UP, 0.2, 0.7), p(UP, 0.1, 0.4)]),
    "Stanford": (Structure.FIRST_MEET, 4, [r(0, 0, 0.4), r(DOWN, 0, 0.15), p(UP, 0, 0)]),
    "polar": (Structure.FIRST_MEET, 4, [r(0, 0, 0.4), r(UP, 0, 0), p(UP, 0, 0)]),
    "oblique": (Structure.FIRST_MEET, 4, [r(0, 0, 0.4), r(0.9, 0, 0.1), r(1.1, 0.3, 0.2)]),
    "meeting behind": (Structure.LAST_MEET, 4, [r(0, 0, 0.4), r(0.8, 0.3, 0.1), r(UP, 0, 0.2)]),
    "gantry and wrist": (Structure.LAST_MEET, 4, [p(0, 0, 0.4), r(0.8, 0.3, 0.1), r(1.2, 0, 0.2)]),
}
WRISTS = {
    "right angles": [r(UP, 0.1, 0.4), r(DOWN, 0, 0), r(UP, 0, 0.1)],
    "three rolls": [r(UP, 0.1, 0.4), r("pi/3", 0, 0), r("-pi/3", 0, 0.1)],
    "general": [r(UP, 0.1, 0.4), r("0.9", 0, 0), r("1.2", 0, 0.1)],
}
WITH_WRISTS = [(arm, "right angles") for arm in ARMS if "Cartesian" not in arm] + [
    ("offset shoulder", "three rolls"),
    ("Stanford", "general"),
]


def poses(description, count=200):
    """Joint positions at random, with the pose of the tool there."""
    q = sample_states(description, ("q",), 2 * count)["q"][count:]
    return q, *make_references(description)[0].find_frame("tool").compute_pose(q)


def solve(description, *inputs):
    return kernel(optimised(INVERSE_KINEMATICS, description))(*inputs)


@pytest.mark.parametrize("name", ARMS)
def test_three_joints_reach_a_point_by_all_branches(name):
    structure, count, rows = ARMS[name]
    description = make_arm(*rows)
    model = build_model(description)
    arm = find_arm(model, model.find_frame("tool"))
    assert isinstance(arm, Arm)
    assert (arm.structure, arm.branch_count) == (structure, count)
    proofs(description, INVERSE_KINEMATICS, optimised(INVERSE_KINEMATICS, description)).require()
    q, _, position = poses(description)
    branches, reached, *_ = solve(description, position)
    assert branches.shape == (len(q), count, 3)
    assert set(np.unique(reached)) <= {0.0, 1.0}


@pytest.mark.parametrize(("arm", "wrist"), WITH_WRISTS)
def test_six_joints_reach_a_pose_by_all_branches(arm, wrist):
    _, count, rows = ARMS[arm]
    description = make_arm(*rows, *WRISTS[wrist])
    program = optimised(INVERSE_KINEMATICS, description)
    proofs(description, INVERSE_KINEMATICS, program).require()
    _, rotation, position = poses(description, 20)
    branches, *_ = solve(description, rotation, position)
    assert branches.shape == (20, 2 * count, 6)


def test_every_branch_of_the_puma_is_another_posture():
    """With right angles and no limits, all eight branches of a pose in reach are reached."""
    description = load_robot("puma560")
    _, rotation, position = poses(description)
    branches, reached, status = solve(description, rotation, position)
    assert reached.all()
    assert (status > 0).all()  # of a program; the compiled code returns 0
    assert np.abs(branches).max() <= np.pi
    difference = np.abs(branches[:, :, None] - branches[:, None, :]).max(axis=-1)
    apart = difference[:, ~np.eye(8, dtype=bool)].min(axis=1)
    assert np.median(apart) > 0.1
    # Flipping the wrist is the solution of Pieper: q4 + pi, -q5, q6 + pi.
    flipped = branches[:, 0::2, 3:] - branches[:, 1::2, 3:]
    np.testing.assert_allclose(np.cos(flipped[..., [0, 2]]), -1, atol=1e-9)
    np.testing.assert_allclose(branches[:, 0::2, 4], -branches[:, 1::2, 4], atol=1e-9)


def test_out_of_reach_no_branch_is_reached_and_the_arm_is_stretched_towards_the_point():
    rows = ARMS["no offset"][2]
    description = make_arm(*rows, tool="[0.3, 0, 0]", rpy="[0, 0, 0]")
    far = np.array([[0.5, 0.6, 0.7], [0.2, 0.1, 0.3]])
    branches, reached, status = solve(description, far)
    assert reached.tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]
    assert (status > 0).tolist() == [[False], [True]]
    frame = make_references(description)[0].find_frame("tool")
    (_, end) = frame.compute_pose(branches[0, 0])
    np.testing.assert_allclose(end, 0.7 * far[0] / np.linalg.norm(far[0]), atol=1e-12)


def test_some_branches_of_a_pose_may_be_out_of_reach():
    """Facing the point or not, an offset along the arm's plane makes different distances."""
    description = make_arm(*ARMS["offset shoulder"][2])
    _, _, position = poses(description)
    _, reached, status = solve(description, position)
    assert (status > 0).all()
    assert set(reached.sum(axis=1)) == {2, 4}


def test_axes_in_line_leave_a_branch_that_reaches_the_pose():
    """Joints 4 and 6 of the PUMA are collinear at zero; q4 = 0 is chosen."""
    description = load_robot("puma560")
    frame = make_references(description)[0].find_frame("tool")
    q = np.array([[0.3, -0.4, 0.5, 0.6, 0.0, 0.7]])
    pose = frame.compute_pose(q)
    branches, reached, *_ = solve(description, *pose)
    assert reached.all()
    rotation, position = frame.compute_pose(branches)
    np.testing.assert_allclose(rotation - pose[0][:, None], 0, atol=1e-14)
    np.testing.assert_allclose(position - pose[1][:, None], 0, atol=1e-14)


def test_a_wrong_length_is_found():
    shorter = make_arm(*[r(0, 0, 0.5), r(DOWN, 0.1, 0.2), r(0, 0.4 - 1e-9, -0.1)])
    description = make_arm(*ARMS["offset shoulder"][2])
    assert not proofs(
        description, INVERSE_KINEMATICS, optimised(INVERSE_KINEMATICS, shorter)
    ).passed


def test_a_missing_branch_is_found():
    """A program that offers its first branch in all places misses most sampled positions."""
    description = make_arm(*ARMS["no offset"][2])
    check = INVERSE_KINEMATICS.expected_results.inverse
    reference = make_references(description)[0]
    q, _, position = poses(description)
    branches, reached, status = solve(description, position)
    first = np.broadcast_to(branches[:, :1], branches.shape)
    _, found, _ = check.measure(reference, (branches, reached, status), position, q)
    assert (found == 1).all()
    _, found, _ = check.measure(reference, (first, reached, status), position, q)
    assert 0.1 < found.mean() < 0.5


@pytest.mark.parametrize(
    ("robot", "reason"),
    [
        ("panda", "the robot has 7 joints; a closed form exists for three joints, and for six"),
        ("ur5", "the axes of the last three joints do not meet in a point"),
        ("planar3", "the first three joints have none of the solvable structures"),
        ("two_arm", "the joints do not form one chain"),
        ("scara", "the robot has 4 joints"),
    ],
)
def test_other_robots_are_refused_with_the_reason(robot, reason):
    with pytest.raises(UsageError, match=f"inverse_kinematics is not available .*{reason}"):
        find_functions(["inverse_kinematics"], build_model(load_robot(robot)))


def test_an_arm_whose_second_joint_has_no_effect_is_refused():
    description = make_arm(r(0, 0, 0), r(UP, 0, 0.1), p(0, 0, 0), tool="[0, 0, 0.2]")
    with pytest.raises(UsageError, match="none of the solvable structures"):
        find_functions(["inverse_kinematics"], build_model(description))


def test_poses_at_two_limits_are_left_out_of_the_proof():
    """The arm is stretched and the wrist is at the end of its range: only rounding decides."""
    rows = [r("-pi/2", -0.395, 0.141), r(-1.1, 0.022, -0.337), r("pi/3", 0, -0.509)]
    wrist = [r("pi/3", 0.25, 0), r(2.5, 0, 0), r(0.7, 0, 0.345)]
    description = make_arm(*rows, *wrist)
    report = proofs(description, INVERSE_KINEMATICS, optimised(INVERSE_KINEMATICS, description))
    report.require()
    assert 80 < report.proofs[0].states < 100


def test_lengths_at_run_time_and_fusion_are_refused():
    rows = [r(0, 0, 0.5), r(DOWN, "length", 0.2), r(0, 0.4, -0.1)]
    parameters = "parameters: {length: {value: 0.1, runtime: true}}"
    with pytest.raises(UsageError, match="the geometry depends on run-time parameters"):
        find_functions(["inverse_kinematics"], build_model(make_arm(*rows, extra=parameters)))
    with pytest.raises(UsageError, match="request it separately: -f inverse_kinematics"):
        find_functions(["inverse_kinematics+jacobian"], build_model(load_robot("puma560")))


def test_another_frame_has_its_own_function():
    frame = "  - {name: grip, link: link5, xyz: [0, 0, 0.2], rpy: [0, 0, 0]}"
    rows = [*ARMS["offset shoulder"][2], *WRISTS["right angles"]]
    description = make_arm(*rows, extra=frame)
    (function,) = find_functions(["inverse_kinematics@grip"], build_model(description))
    assert function.name == "inverse_kinematics_at_grip"
    proofs(description, function, optimised(function, description)).require()


@pytest.mark.parametrize(
    ("language", "real"),
    [
        ("c", "double"),
        ("c", "float"),
        ("cpp", "double"),
        ("fortran", "double"),
        ("javascript", "double"),
        ("python", "double"),
        ("rust", "double"),
    ],
)
def test_compiled_code_is_proved_and_reports_poses_out_of_reach(language, real):
    description = make_arm(*ARMS["Stanford"][2])
    settings = Settings(language, ("inverse_kinematics",), real=real, states=200)
    if language in languages_without_tool():
        pytest.skip(f"no tool for {language}")
    made = generated(description, settings)
    kernels = compiled(made, language)
    proved(made, kernels, 200)
    kernel_of_code = kernels["inverse_kinematics"]
    near, far = np.array([0.5, 0.4, 0.3]), np.array([0.0, 0.0, 0.4])
    (*_, reached, status), (*_, beyond, failed) = kernel_of_code(near), kernel_of_code(far)
    assert (reached.tolist(), int(status)) == ([1, 1, 1, 1], 0)
    assert (beyond.tolist(), int(failed)) == ([0, 0, 0, 0], 1)
