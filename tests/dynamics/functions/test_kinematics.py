"""Pose, Jacobians and drift acceleration of frames: references, Pinocchio, each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.candidate import BodyChoice, Candidate
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions.kinematics import (
    BODY_JACOBIAN,
    FORWARD_KINEMATICS,
    JACOBIAN,
    JACOBIAN_DOT_QD,
)
from dynagen.errors import UsageError
from dynagen.ir.cost import count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Program
from dynagen.numbers.exact import PI, Exact
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.description import NamedFrame, RobotDescription
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import BASE, build_model
from dynagen.robot.pose import Translation, make_translation_and_rpy
from dynagen.verification.reference import make_references
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, placed
from tests.support.random_robots import random_description, robots

KINEMATICS = (FORWARD_KINEMATICS, JACOBIAN, BODY_JACOBIAN, JACOBIAN_DOT_QD)
STEP = 1e-30


def exact(*values: Any) -> tuple[Exact, ...]:
    return tuple(Exact(str(value)) for value in values)


def with_frames(description: RobotDescription, seed: int) -> RobotDescription:
    """Add a camera in general position on a link, and a probe on the z axis of the last link."""
    rng = np.random.default_rng(seed)
    link = description.links[int(rng.integers(len(description.links)))].name
    xyz, rpy = (exact(*rng.integers(-60, 60, 3) / 100) for _ in range(2))
    camera = NamedFrame("camera", link, make_translation_and_rpy(xyz, rpy))
    probe = NamedFrame(
        "probe",
        description.links[-1].name,
        make_translation_and_rpy(exact(0, 0, "0.1"), (PI / 2, *exact(0, 0))),
    )
    return replace(description, frames=(camera, probe))


def robot(seed: int) -> RobotDescription:
    """Robots of all kinds: both conventions, trees, fixed links, origins, prismatic joints."""
    description = random_description(
        seed,
        1 + seed % 6,
        ("modified", "standard")[seed % 2],
        prismatic=(0.0, 0.4)[seed // 2 % 2],
        right_angles=(0.0, 0.7, 1.0)[seed % 3],
        fixed_links=0.3,
        branches=seed % 4 == 3,
        origins=seed % 5 < 2,
    )
    return with_frames(description, seed)


def functions(
    frames: tuple[str, ...] = ("camera", "probe"),
) -> Iterator[tuple[str, DynamicsFunction]]:
    for function in KINEMATICS:
        yield "tool", function
        yield from ((frame, function.bind_to_frame(frame)) for frame in frames)


def states(description: RobotDescription, rows: int = 20) -> tuple[Any, Any]:
    n = sum(link.joint.moves for link in description.links)
    rng = np.random.default_rng(0)
    return rng.uniform(-3, 3, (rows, n)), rng.uniform(-2, 2, (rows, n))


def run(program: Program, *arrays: Any) -> tuple[Any, ...]:
    """Outputs of a program for arrays (count, n), each of shape (count, *shape)."""
    inputs = {
        argument.name: array.T for argument, array in zip(program.inputs, arrays, strict=True)
    }
    results = evaluate(program, inputs)
    rows = arrays[0].shape[0]
    return tuple(
        np.stack(
            [np.broadcast_to(value, rows) for value in results[output.argument.name]], axis=-1
        ).reshape(rows, *output.argument.shape)
        for output in program.outputs
    )


def optimised(function: DynamicsFunction, description: RobotDescription) -> Program:
    return run_passes(function.build(build_model(description)))[0]


def assert_as_expected(
    program: Program, function: DynamicsFunction, description: RobotDescription
) -> None:
    reference = make_references(description)[0]
    arrays = states(description)[: len(program.inputs)]
    scales = function.expected_results.magnitudes(reference, *arrays)
    for computed, expected, scale in zip(
        run(program, *arrays),
        function.expected_results.outputs(reference, *arrays),
        scales,
        strict=True,
    ):
        assert computed.shape == expected.shape == scale.shape
        assert np.all(np.abs(expected) <= scale * (1 + 1e-12) + 1e-15)
        np.testing.assert_array_less(np.abs(computed - expected), 1e-13 * (1 + scale))


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 12))]
)
def test_every_method_agrees_with_the_reference_before_and_after_the_passes(seed: int) -> None:
    description = robot(seed)
    model = build_model(description)
    for _, function in functions():
        for method in function.methods:
            recorded = function.build(model, method)
            assert_as_expected(recorded, function, description)
            assert_as_expected(run_passes(recorded)[0], function, description)


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))]
)
def test_every_formulation_gives_the_same(seed: int) -> None:
    """Bodies in axes that do not rotate with the joint; right angles give parallel axes."""
    rng = np.random.default_rng(seed)
    description = with_frames(
        random_description(
            rng,
            5,
            right_angles=1.0,
            fixed_links=0.2,
            branches=bool(seed % 2),
            origins=seed % 3 == 2,
        ),
        seed,
    )
    model = build_model(description)
    for _, function in functions():
        candidate = Candidate(
            model, tuple(BodyChoice(None, *(rng.random(3) < 0.4).tolist()) for _ in model.bodies)
        )
        for method in function.methods:
            assert_as_expected(
                run_passes(function.build_for(candidate, method))[0], function, description
            )


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(14))
def test_frames_are_where_pinocchio_has_them_and_move_as_it_says(seed: int) -> None:
    description = robot(seed)
    model, order = pinocchio_model(description)
    ids = {
        frame: model.addFrame(pinocchio_frame(description, model, frame))
        for frame in ("tool", "camera")
    }
    data = model.createData()
    q, qd = states(description, 3)
    for name, function in functions(("camera",)):
        program = optimised(function, description)
        computed = run(program, *(q, qd)[: len(program.inputs)])
        for row in range(len(q)):
            pin.forwardKinematics(model, data, q[row][order], qd[row][order], np.zeros(len(order)))
            pin.computeJointJacobians(model, data)
            pin.updateFramePlacements(model, data)
            for output, expected in zip(
                computed, pinocchio_result(function, model, data, ids[name], order), strict=True
            ):
                np.testing.assert_allclose(
                    output[row], expected, rtol=0, atol=1e-12 * (1 + np.abs(expected).max())
                )


def pinocchio_result(
    function: DynamicsFunction, model: Any, data: Any, frame: int, order: list[int]
) -> tuple[Any, ...]:
    if function.name.startswith("forward_kinematics"):
        return data.oMf[frame].rotation, data.oMf[frame].translation
    if function.name.startswith("jacobian_dot_qd"):
        return (
            pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector,
        )
    axes = pin.LOCAL if function.name.startswith("body") else pin.LOCAL_WORLD_ALIGNED
    jacobian = np.zeros((6, model.nv))
    jacobian[:, order] = pin.getFrameJacobian(model, data, frame, axes).reshape(
        6, -1
    )  # of one joint it is a vector
    return (jacobian,)


def pinocchio_frame(description: RobotDescription, model: Any, name: str) -> Any:
    """A frame of the description as one of Pinocchio's, fixed to the joint that carries it."""
    links = {link.name: link for link in description.links}
    named = {frame.name: frame for frame in description.frames}
    link, pose = description.links[-1], pin.SE3.Identity()
    if name in named:
        link, pose = links[named[name].link], placed(named[name].placement)
    while not link.joint.moves:
        pose = placed(link.before) * placed(link.after) * pose
        if link.parent is None:
            return pin.Frame(name, 0, 0, pose, pin.FrameType.OP_FRAME)
        link = links[link.parent]
    return pin.Frame(
        name, model.getJointId(link.name), 0, placed(link.after) * pose, pin.FrameType.OP_FRAME
    )


@settings(max_examples=15, deadline=None)
@given(robots(4), st.integers(0, 1000))
def test_kernels_are_each_other_s_derivatives(description: RobotDescription, seed: int) -> None:
    description = with_frames(description, seed)
    q, qd = states(description, 4)
    pose, jacobian, body_jacobian, drift = (
        optimised(function.bind_to_frame("camera"), description) for function in KINEMATICS
    )
    rotation, _ = run(pose, q)
    np.testing.assert_allclose(
        np.swapaxes(rotation, -1, -2) @ rotation,
        np.broadcast_to(np.eye(3), rotation.shape),
        atol=1e-13,
    )
    np.testing.assert_allclose(np.linalg.det(rotation), 1, atol=1e-13)

    (j,), (jd_qd,) = run(jacobian, q), run(drift, q, qd)
    velocity = np.einsum("...ij,...j->...i", j, qd)
    scale = 1 + np.abs(velocity).max() + np.abs(jd_qd).max()
    moved_rotation, moved_position = (
        output.imag / STEP for output in run(pose, q + 1j * STEP * qd)
    )
    np.testing.assert_allclose(moved_position, velocity[:, :3], rtol=0, atol=1e-12 * scale)
    spin = np.cross(velocity[:, None, 3:], np.swapaxes(rotation, -1, -2))
    np.testing.assert_allclose(
        np.swapaxes(moved_rotation, -1, -2), spin, rtol=0, atol=1e-12 * scale
    )

    changed = run(jacobian, q + 1j * STEP * qd)[0].imag / STEP
    np.testing.assert_allclose(
        np.einsum("...ij,...j->...i", changed, qd), jd_qd, rtol=0, atol=1e-12 * scale
    )
    (body,) = run(body_jacobian, q)
    np.testing.assert_allclose(rotation @ body[:, :3], j[:, :3], rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(rotation @ body[:, 3:], j[:, 3:], rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(8))
def test_the_references_by_differentiation_by_axes_and_by_screws_agree(seed: int) -> None:
    description = robot(seed)
    q, qd = states(description)
    first, second = (reference.frames for reference in make_references(description))
    for name, frame in first.items():
        screws = second[name]
        assert type(screws) is not type(frame)
        within = 1e-13 * (1 + frame._reach(q).max())
        np.testing.assert_allclose(
            frame.compute_jacobian(q), frame.compute_axes_jacobian(q), rtol=0, atol=within
        )
        pairs = [
            *zip(frame.compute_pose(q), screws.compute_pose(q), strict=True),
            (frame.compute_jacobian(q), screws.compute_jacobian(q)),
        ]
        pairs.append((frame.compute_body_jacobian(q), screws.compute_body_jacobian(q)))
        for left, right in pairs:
            np.testing.assert_allclose(left, right, rtol=0, atol=within)
        drifts = frame.compute_drift_acceleration(q, qd), screws.compute_drift_acceleration(q, qd)
        np.testing.assert_allclose(
            *drifts, rtol=0, atol=1e-13 * (1 + frame.compute_drift_magnitudes(q, qd).max())
        )


def test_every_language_proves_them_for_the_hands_of_a_tree(language: str) -> None:
    names = tuple(
        f"{function.name}@{hand}" for function in KINEMATICS for hand in ("left_hand", "right_hand")
    )
    generation = generate(load_robot("two_arm"), Settings(language, names, states=100))
    assert [function.name for function in generation.functions] == [
        name.replace("@", "_at_") for name in names
    ]
    assert all(proof.passed for proof in generation.proofs.values())


@pytest.mark.parametrize("function", KINEMATICS, ids=lambda function: function.name)
def test_a_link_that_is_a_billionth_too_long_is_found(function: DynamicsFunction) -> None:
    description = load_robot("puma560")
    longer = Translation(exact("1e-9", 0, 0))
    links = tuple(replace(link, before=(*link.before, longer)) for link in description.links)
    program = optimised(function, replace(description, links=links))
    with pytest.raises(AssertionError):
        assert_as_expected(program, function, description)
    assert_as_expected(optimised(function, description), function, description)


def test_joints_that_do_not_carry_a_frame_do_not_move_it() -> None:
    description = load_robot("two_arm")
    moves = [
        np.any(column)
        for column in run(
            optimised(JACOBIAN.bind_to_frame("left_hand"), description), states(description)[0]
        )[0].T
    ]
    names = [link.name for link in description.links if link.joint.moves]
    assert {name for name, moved in zip(names, moves, strict=True) if moved} == {
        "torso", "left_shoulder", "left_upper_arm", "left_forearm"
    }  # fmt: skip


def test_a_frame_on_the_base_stands_still() -> None:
    """A fixed link before the first joint; nothing is computed for it."""
    seed = next(
        seed
        for seed in range(100)
        if build_model(fixed_first(seed)).find_frame("camera").body == BASE
    )
    description = fixed_first(seed)
    q, qd = states(description)
    for function in KINEMATICS:
        program = optimised(function.bind_to_frame("camera"), description)
        assert count(program).total == 0
        assert_as_expected(program, function.bind_to_frame("camera"), description)
    assert not np.any(run(optimised(JACOBIAN.bind_to_frame("camera"), description), q)[0])
    assert not np.any(
        run(optimised(JACOBIAN_DOT_QD.bind_to_frame("camera"), description), q, qd)[0]
    )


def fixed_first(seed: int) -> RobotDescription:
    return with_frames(
        random_description(seed, 3, fixed_links=0.5, branches=True, origins=True), seed
    )


def test_the_tool_is_the_last_link_s_frame_unless_it_is_named() -> None:
    plain = random_description(4, 3, "standard", fixed_links=0.0)
    model = build_model(plain)
    assert (model.find_frame("tool").body, model.find_frame("tool").pose) == model.attachments[
        plain.links[-1].name
    ]
    placement = make_translation_and_rpy(exact("0.1", "0.2", "0.3"), exact(0, 0, 0))
    named = build_model(
        replace(plain, frames=(NamedFrame("Tool", plain.links[0].name, placement),))
    )
    assert [frame.name for frame in named.frames] == ["Tool"]
    assert named.find_frame("tool").body == 0


def test_a_frame_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(
        UsageError,
        match=r"two_arm has no frame `left_hnad`; its frames are tool, left_hand.*; "
        r"did you mean `left_hand`\?",
    ):
        generate(load_robot("two_arm"), Settings(functions=("jacobian@left_hnad",)))
    with pytest.raises(UsageError, match=r"as in jacobian@left_hand\+jacobian@right_hand$"):
        generate(load_robot("two_arm"), Settings(functions=("jacobian@left_hand,right_hand",)))


@pytest.mark.parametrize(
    ("robot", "most"),
    [
        ("puma560", (74, 78, 99, 120)),
        ("stanford_listing", (51, 39, 54, 71)),
        ("panda", (108, 153, 143, 218)),
        ("ur5", (85, 96, 103, 164)),
        ("scara", (23, 12, 12, 25)),
    ],
)
def test_what_they_cost(robot: str, most: tuple[int, ...]) -> None:
    model = build_model(load_robot(robot))
    for function, bound in zip(KINEMATICS, most, strict=True):
        programs = (run_passes(function.build(model, method))[0] for method in function.methods)
        assert min(count(program).total for program in programs) <= bound, function.name


def test_a_vector_product_pays_between_oblique_axes() -> None:
    model = build_model(random_description(1, 6, "modified", prismatic=0, right_angles=0))
    for function in (FORWARD_KINEMATICS, JACOBIAN, BODY_JACOBIAN):
        totals = {
            method: count(run_passes(function.build(model, method))[0]).total
            for method in function.methods
        }
        assert totals["two-axes"] < totals["three-axes"] - 10


def test_a_frame_may_depend_on_run_time_parameters() -> None:
    text = """
name: reacher
convention: standard
gravity: [0, 0, -9.81]
parameters:
  reach: {value: 0.3, unit: m, runtime: true}
  tilt: {value: 0.4, unit: rad, runtime: true}
links:
  - {name: arm, joint: revolute, dh: {alpha: pi/2, a: 0.4, d: 0.1, theta: 0},
      mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  - {name: rod, joint: revolute, dh: {alpha: 0, a: reach, d: 0, theta: 0},
      mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
frames:
  - {name: tool, link: rod, xyz: [2*reach, 0, 0.1], rpy: [0, tilt, 0]}
"""
    generation = generate(
        parse_robot(text, "reacher.yaml"),
        Settings(functions=tuple(each.name for each in KINEMATICS)),
    )
    assert all(proof.passed for proof in generation.proofs.values())
    assert [argument.name for argument in generation.functions[0].program.inputs] == ["q", "params"]
