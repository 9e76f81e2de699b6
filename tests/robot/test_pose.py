"""Exact poses compose like numeric ones, and right angles leave no rounding behind."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynagen.numbers.exact import ONE, PI, ZERO, Angle, Exact, is_zero
from dynagen.robot.joints import REVOLUTE, Joint
from dynagen.robot.model.placement import place, place_joint
from dynagen.robot.pose import (
    IDENTITY,
    Displacement,
    Pose,
    Rotation,
    Translation,
    Vector,
    compose,
    compute_pose,
    dot,
    make_rotation_onto,
    make_screw_x,
    make_screw_z,
    make_translation_and_rpy,
    multiply,
    transpose,
)
from tests.support.random_programs import small_rationals

lengths = small_rationals().map(Exact)
angles = st.builds(lambda k: PI * k / 12, st.integers(-24, 24)) | lengths
vectors = st.tuples(lengths, lengths, lengths)
transforms = st.builds(make_translation_and_rpy, vectors, st.tuples(angles, angles, angles))
steps = st.builds(Rotation, st.integers(0, 2), angles) | st.builds(Translation, vectors)
displacements = st.lists(steps, max_size=5).map(lambda chosen: compose(*chosen))
directions = vectors.filter(any)


def numeric(pose: Pose) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = [[float(x) for x in row] for row in pose.rotation]
    matrix[:3, 3] = [float(x) for x in pose.translation]
    return matrix


def about(axis: int, angle: Exact) -> np.ndarray:
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(4)
    matrix[j, j] = matrix[k, k] = np.cos(float(angle))
    matrix[k, j], matrix[j, k] = np.sin(float(angle)), -np.sin(float(angle))
    return matrix


def shifted(vector: Vector) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = [float(x) for x in vector]
    return matrix


@given(vectors, st.tuples(angles, angles, angles))
def test_an_origin_is_translation_yaw_pitch_roll(xyz: Vector, rpy: Vector) -> None:
    roll, pitch, yaw = rpy
    expected = shifted(xyz) @ about(2, yaw) @ about(1, pitch) @ about(0, roll)
    np.testing.assert_allclose(
        numeric(compute_pose(make_translation_and_rpy(xyz, rpy))), expected, atol=1e-14
    )


@given(displacements)
def test_steps_follow_each_other(chosen: Displacement) -> None:
    expected = np.eye(4)
    for step in chosen:
        expected = expected @ (
            about(step.axis, step.angle) if isinstance(step, Rotation) else shifted(step.vector)
        )
    np.testing.assert_allclose(numeric(compute_pose(chosen)), expected, atol=1e-11)


@given(directions)
def test_z_is_rotated_onto_any_direction(direction: Vector) -> None:
    numbers = np.array([float(x) for x in direction])
    z_axis = [float(x) for x in compute_pose(make_rotation_onto(direction)).z_axis]
    np.testing.assert_allclose(z_axis, numbers / np.linalg.norm(numbers), atol=1e-14)


@given(transforms, displacements, st.tuples(*[st.integers(-2, 2)] * 3).filter(any))
def test_a_joint_is_placed_with_its_axis_along_z(
    parent: Displacement, before: Displacement, axis: tuple[int, ...]
) -> None:
    """Whatever steps are about or along the axis, and offsets of the joint: the frame is the
    same.
    """
    joint = Joint(REVOLUTE, tuple(map(Exact, axis)))
    placed = numeric(place_joint(compute_pose(parent), before, joint).pose)
    expected = numeric(compute_pose((*parent, *before)))
    np.testing.assert_allclose(placed[:3, 3], expected[:3, 3], atol=1e-10)
    np.testing.assert_allclose(
        placed[:3, 2], expected[:3, :3] @ axis / np.linalg.norm(axis), atol=1e-12
    )
    np.testing.assert_allclose(
        placed, expected @ numeric(compute_pose(joint.axis_frame)), atol=1e-10
    )


@given(st.integers(0, 2), st.sampled_from([-1, 1]), angles, lengths)
def test_offsets_of_a_joint_stay_the_numbers_that_they_are(
    axis: int, sign: int, angle: Exact, length: Exact
) -> None:
    along = tuple(length if number == axis else ZERO for number in range(3))
    direction = tuple(Exact(sign) if number == axis else ZERO for number in range(3))
    steps = compose(Rotation(axis, angle), Translation(along), Rotation(axis, angle))
    placement = place_joint(IDENTITY, steps, Joint(REVOLUTE, direction))
    alone = place_joint(IDENTITY, (), Joint(REVOLUTE, direction))
    assert placement.d == sign * length
    assert is_zero(placement.theta.radians - alone.theta.radians - 2 * sign * angle)


@given(angles, lengths)
def test_screws_turn_and_shift_about_one_axis(angle: Exact, length: Exact) -> None:
    x, z = (length, ZERO, ZERO), (ZERO, ZERO, length)
    np.testing.assert_allclose(
        numeric(make_screw_x(Angle(angle), length)), about(0, angle) @ shifted(x), atol=1e-14
    )
    np.testing.assert_allclose(
        numeric(make_screw_z(Angle(angle), length)), about(2, angle) @ shifted(z), atol=1e-14
    )


@given(transforms, transforms, transforms)
def test_composition_is_associative_and_like_that_of_matrices(
    a: Displacement, b: Displacement, c: Displacement
) -> None:
    x, y, z = compute_pose(a), compute_pose(b), compute_pose(c)
    assert (x @ y) @ z == x @ (y @ z)
    assert x @ IDENTITY == IDENTITY @ x == x
    np.testing.assert_allclose(numeric(x @ y), numeric(x) @ numeric(y), rtol=1e-13, atol=1e-12)


@given(transforms)
def test_rotations_are_orthogonal_exactly(transform: Displacement) -> None:
    rotation = compute_pose(transform).rotation
    assert multiply(rotation, transpose(rotation)) == IDENTITY.rotation


@given(st.tuples(*[st.integers(-4, 4)] * 3))
def test_right_angles_leave_zeros_and_ones(quarters: tuple[int, int, int]) -> None:
    pose = compute_pose(
        make_translation_and_rpy((ZERO, ZERO, ZERO), tuple(PI / 2 * k for k in quarters))
    )
    assert {abs(entry) for row in pose.rotation for entry in row} == {ZERO, ONE}


@given(transforms, angles, lengths)
def test_a_placement_leads_where_the_pose_does_and_on_by_the_joints_own_offsets(
    transform: Displacement, theta: Exact, d: Exact
) -> None:
    pose = compute_pose(transform)
    placement = place(pose, theta, d)
    np.testing.assert_allclose(
        numeric(placement.pose), numeric(pose @ make_screw_z(Angle(theta), d)), atol=1e-12
    )
    assert is_zero(dot(placement.pose.z_axis, pose.z_axis) - 1)
