"""Exact poses compose like numeric ones, and right angles leave no rounding behind."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_programs import small_rationals

from dynagen.description.description import FixedTransform, Vector
from dynagen.model.placement import place
from dynagen.model.pose import IDENTITY, Pose, dot, fixed, product, screw_x, screw_z, transpose
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ONE, PI, ZERO, Exact, is_zero

lengths = small_rationals().map(Exact)
angles = st.builds(lambda k: PI * k / 12, st.integers(-24, 24)) | lengths
vectors = st.tuples(lengths, lengths, lengths)
transforms = st.builds(FixedTransform, vectors, st.tuples(angles, angles, angles))


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


@given(transforms)
def test_a_fixed_transform_is_translation_yaw_pitch_roll(transform: FixedTransform) -> None:
    roll, pitch, yaw = transform.rpy
    expected = shifted(transform.xyz) @ about(2, yaw) @ about(1, pitch) @ about(0, roll)
    np.testing.assert_allclose(numeric(fixed(transform)), expected, atol=1e-14)


@given(angles, lengths)
def test_screws_turn_and_shift_about_one_axis(angle: Exact, length: Exact) -> None:
    x, z = (length, ZERO, ZERO), (ZERO, ZERO, length)
    np.testing.assert_allclose(numeric(screw_x(Angle(angle), length)), about(0, angle) @ shifted(x), atol=1e-14)
    np.testing.assert_allclose(numeric(screw_z(Angle(angle), length)), about(2, angle) @ shifted(z), atol=1e-14)


@given(transforms, transforms, transforms)
def test_composition_is_associative_and_like_that_of_matrices(a: FixedTransform, b: FixedTransform, c: FixedTransform) -> None:
    x, y, z = fixed(a), fixed(b), fixed(c)
    assert (x @ y) @ z == x @ (y @ z)
    assert x @ IDENTITY == IDENTITY @ x == x
    np.testing.assert_allclose(numeric(x @ y), numeric(x) @ numeric(y), rtol=1e-13, atol=1e-12)


@given(transforms)
def test_rotations_are_orthogonal_exactly(transform: FixedTransform) -> None:
    rotation = fixed(transform).rotation
    assert product(rotation, transpose(rotation)) == IDENTITY.rotation


@given(st.tuples(*[st.integers(-4, 4)] * 3))
def test_right_angles_leave_zeros_and_ones(quarters: tuple[int, int, int]) -> None:
    pose = fixed(FixedTransform((ZERO, ZERO, ZERO), tuple(PI / 2 * k for k in quarters)))
    assert {abs(entry) for row in pose.rotation for entry in row} == {ZERO, ONE}


@given(transforms, angles, lengths)
def test_a_placement_leads_where_the_pose_does_and_on_by_the_joints_own_offsets(
    transform: FixedTransform, theta: Exact, d: Exact
) -> None:
    pose = fixed(transform)
    placement = place(pose, theta, d)
    np.testing.assert_allclose(numeric(placement.pose), numeric(pose @ screw_z(Angle(theta), d)), atol=1e-12)
    assert is_zero(dot(placement.pose.z_axis, pose.z_axis) - 1)
