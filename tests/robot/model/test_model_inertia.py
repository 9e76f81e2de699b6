"""Inertial parameters: the parallel axis theorem, changes of frame, and sums, exactly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.description import CentralInertia, OriginInertia, Tensor
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.pose import IDENTITY, Pose, Vector, compute_pose, make_translation_and_rpy
from tests.support.random_programs import small_rationals

numbers = small_rationals().map(Exact)
vectors = st.tuples(numbers, numbers, numbers)
tensors = st.tuples(*[numbers] * 6)
angles = st.integers(-12, 12).map(lambda k: PI * k / 6) | numbers
poses = st.builds(make_translation_and_rpy, vectors, st.tuples(angles, angles, angles)).map(
    compute_pose
)
bodies = st.builds(InertialParameters, numbers, vectors, tensors)


def array(vector: Vector) -> np.ndarray:
    return np.array([float(x) for x in vector])


def matrix(tensor: Tensor) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (float(x) for x in tensor)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def squared(r: np.ndarray) -> np.ndarray:
    """The inertia of a unit mass at r."""
    return r @ r * np.eye(3) - np.outer(r, r)


@given(numbers, vectors, tensors)
def test_a_central_inertia_moves_to_the_origin_by_the_parallel_axis_theorem(
    mass: Exact, com: Vector, tensor: Tensor
) -> None:
    body = InertialParameters.convert(CentralInertia(mass, com, tensor))
    assert body.mass == mass
    assert body.first_moment == tuple(mass * x for x in com)
    np.testing.assert_allclose(
        matrix(body.inertia),
        matrix(tensor) + float(mass) * squared(array(com)),
        rtol=1e-13,
        atol=1e-11,
    )


@given(numbers, vectors, tensors)
def test_an_inertia_about_the_origin_is_taken_as_it_is(
    mass: Exact, moment: Vector, tensor: Tensor
) -> None:
    assert InertialParameters.convert(OriginInertia(mass, moment, tensor)) == InertialParameters(
        mass, moment, tensor
    )


def test_point_masses_have_the_inertia_of_a_point() -> None:
    """2 kg at (1, 2, 3): Ixy is minus the integral of x y dm."""
    one, two, three = Exact(1), Exact(2), Exact(3)
    body = InertialParameters.convert(CentralInertia(two, (one, two, three), (ZERO,) * 6))
    assert body.first_moment == (2, 4, 6)
    assert body.inertia == (26, 20, 10, -4, -6, -12)


@given(numbers, vectors, tensors, poses)
def test_a_body_seen_from_another_frame_is_the_turned_and_shifted_body(
    mass: Exact, com: Vector, tensor: Tensor, pose: Pose
) -> None:
    """The same through the centre of mass, which has no transport terms for first moments."""
    seen = InertialParameters.convert(CentralInertia(mass, com, tensor)).transform(pose)
    rotation = np.array([[float(x) for x in row] for row in pose.rotation])
    centre = rotation @ array(com) + array(pose.translation)
    expected = rotation @ matrix(tensor) @ rotation.T + float(mass) * squared(centre)
    np.testing.assert_allclose(matrix(seen.inertia), expected, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(
        array(seen.first_moment), float(mass) * centre, rtol=1e-12, atol=1e-11
    )


@given(bodies, poses, poses)
def test_frames_may_be_changed_in_one_step_or_two(
    body: InertialParameters, a: Pose, b: Pose
) -> None:
    """Massless bodies with first moments included."""
    assert body.transform(b).transform(a) == body.transform(a @ b)
    assert body.transform(IDENTITY) == body


@given(bodies, bodies, poses)
def test_bodies_add_before_or_after_a_change_of_frame(
    x: InertialParameters, y: InertialParameters, pose: Pose
) -> None:
    assert (x + y).transform(pose) == x.transform(pose) + y.transform(pose)
    assert x + y == y + x
