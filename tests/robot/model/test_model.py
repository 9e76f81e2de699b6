"""The generator's frames and bodies against the numeric reference, which makes its own from the
same description.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.numbers.exact import PI, ZERO, Angle, Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
    RobotDescription,
)
from dynagen.robot.formats.yaml.links import Convention, make_row_steps
from dynagen.robot.joints import FIXED, REVOLUTE, Joint, JointType
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import BASE, RobotModel, build_model
from dynagen.robot.pose import Pose, make_translation_and_rpy
from dynagen.verification.kinematics import compute_joint_frames, make_numeric_links
from tests.support.random_robots import random_description, robots

POINT = CentralInertia(
    Exact(1),
    (Exact("0.1"), Exact("0.2"), Exact("0.3")),
    (Exact(1), Exact(1), Exact(1), ZERO, ZERO, ZERO),
)


def numeric(pose: Pose) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = [[float(x) for x in row] for row in pose.rotation]
    matrix[:3, 3] = [float(x) for x in pose.translation]
    return matrix


def about(axis: int, cosine: float, sine: float) -> np.ndarray:
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(4)
    matrix[j, j] = matrix[k, k] = cosine
    matrix[k, j], matrix[j, k] = sine, -sine
    return matrix


def shifted(x: float, y: float, z: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def body_frames(model: RobotModel, q: np.ndarray) -> list[np.ndarray]:
    """T(translation) Rz(gamma) Rx(alpha) Rz(theta + angular q) Tz(d + linear q), from the base
    outward.
    """
    frames: list[np.ndarray] = []
    for position, body in zip(q, model.bodies, strict=True):
        placement, joint = body.placement, body.joint
        theta = float(placement.theta.radians) + float(joint.angular) * position
        frames.append(
            (np.eye(4) if body.parent == BASE else frames[body.parent])
            @ shifted(*(float(x) for x in placement.translation))
            @ about(2, float(placement.gamma.cos), float(placement.gamma.sin))
            @ about(0, float(placement.alpha.cos), float(placement.alpha.sin))
            @ about(2, np.cos(theta), np.sin(theta))
            @ shifted(0, 0, float(placement.d) + float(joint.linear) * position)
        )
    return frames


def link_frames(model: RobotModel, q: np.ndarray) -> dict[str, np.ndarray]:
    frames = body_frames(model, q)
    return {
        name: (np.eye(4) if body == BASE else frames[body]) @ numeric(pose)
        for name, (body, pose) in model.attachments.items()
    }


def states(model: RobotModel) -> np.ndarray:
    n = len(model.bodies)
    return np.concatenate([np.zeros((1, n)), np.random.default_rng(5).uniform(-3, 3, (4, n))])


def assert_frames_agree(description: RobotDescription) -> None:
    model = build_model(description)
    for q in states(model):
        joints, links = compute_joint_frames(make_numeric_links(description), q)
        frames, attached = body_frames(model, q), link_frames(model, q)
        for number, link in enumerate(description.links):
            np.testing.assert_allclose(
                attached[link.name], links[number], atol=1e-12, err_msg=link.name
            )
            if link.joint.moves:
                body = frames[model.attachments[link.name][0]]
                direction = np.array([float(x) for x in link.joint.axis])
                axis = joints[number][:3, :3] @ direction / np.linalg.norm(direction)
                np.testing.assert_allclose(body[:3, 2], axis, atol=1e-12)
                offset = np.cross(axis, body[:3, 3] - joints[number][:3, 3])
                np.testing.assert_allclose(
                    offset, 0, atol=1e-11
                )  # the origin lies on the joint's axis


@given(robots())
def test_frames_are_where_the_reference_has_them(description: RobotDescription) -> None:
    assert_frames_agree(description)


def moments(
    mass: float, first: np.ndarray, second: np.ndarray, pose: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Zeroth, first and second moments of a body about the base's origin, in base axes."""
    r, p = pose[:3, :3], pose[:3, 3]
    moved = r @ first
    return (
        mass,
        moved + mass * p,
        r @ second @ r.T + np.outer(moved, p) + np.outer(p, moved) + mass * np.outer(p, p),
    )


def second_moments(tensor: tuple[Exact, ...]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (float(x) for x in tensor)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.trace(inertia) / 2 * np.eye(3) - inertia


def link_moments(inertial: CentralInertia | OriginInertia) -> tuple[float, np.ndarray, np.ndarray]:
    mass, second = float(inertial.mass), second_moments(inertial.inertia)
    if isinstance(inertial, OriginInertia):
        return mass, np.array([float(x) for x in inertial.first_moment]), second
    com = np.array([float(x) for x in inertial.com])
    return mass, mass * com, second + mass * np.outer(com, com)


@given(robots())
def test_the_moving_mass_is_where_the_description_has_it(description: RobotDescription) -> None:
    model = build_model(description)
    for q in states(model):
        _, poses = compute_joint_frames(make_numeric_links(description), q)
        described = [
            moments(*link_moments(link.inertial), pose)
            for link, pose in zip(description.links, poses, strict=True)
            if model.attachments[link.name][0] != BASE
        ]
        modelled = [
            moments(
                float(body.inertial.mass),
                np.array([float(x) for x in body.inertial.first_moment]),
                second_moments(body.inertial.inertia),
                frame,
            )
            for body, frame in zip(model.bodies, body_frames(model, q), strict=True)
        ]
        for expected, got in zip(
            zip(*described, strict=True), zip(*modelled, strict=True), strict=True
        ):
            np.testing.assert_allclose(sum(got), sum(expected), rtol=1e-11, atol=1e-10)


@given(robots())
def test_every_moving_link_is_a_body_and_every_fixed_one_is_merged(
    description: RobotDescription,
) -> None:
    model = build_model(description)
    assert [body.name for body in model.bodies] == [
        link.name for link in description.links if link.joint.moves
    ]
    assert list(model.attachments) == [link.name for link in description.links]
    assert all(body.parent < index for index, body in enumerate(model.bodies))
    for link in description.links:
        if not link.joint.moves:
            body = model.attachments[link.name][0]
            assert body == BASE or link.name in model.bodies[body].merged
            assert any(link.name in note for note in model.notes)
    assert sorted(
        child for parent in range(BASE, len(model.bodies)) for child in model.list_children(parent)
    ) == list(range(len(model.bodies)))


ROW = st.tuples(*[st.builds(lambda k: Exact(Fraction(k, 100)), st.integers(-300, 300))] * 4)


@given(st.lists(ROW, min_size=1, max_size=5))
def test_rows_of_a_modified_table_are_kept(rows: list[tuple[Exact, ...]]) -> None:
    bodies = build_model(table("modified", rows)).bodies
    for (alpha, a, d, theta), body in zip(rows, bodies, strict=True):
        placement = body.placement
        assert placement.gamma == Angle(ZERO)
        assert (placement.alpha.cos, placement.alpha.sin) == (Angle(alpha).cos, Angle(alpha).sin)
        assert placement.translation == (a, ZERO, ZERO)
        assert (placement.theta.radians, placement.d) == (theta, d)
        assert body.inertial == InertialParameters.convert(POINT)


@given(st.lists(ROW, min_size=1, max_size=5))
def test_rows_of_a_standard_table_are_shifted(rows: list[tuple[Exact, ...]]) -> None:
    angle, length = Angle(ZERO), ZERO
    for (alpha, a, d, theta), body in zip(
        rows, build_model(table("standard", rows)).bodies, strict=True
    ):
        placement = body.placement
        assert placement.gamma == Angle(ZERO)
        assert (placement.alpha.cos, placement.alpha.sin) == (angle.cos, angle.sin)
        assert placement.translation == (length, ZERO, ZERO)
        assert (placement.theta.radians, placement.d) == (theta, d)
        angle, length = Angle(alpha), a


def table(convention: Convention, rows: list[tuple[Exact, ...]]) -> RobotDescription:
    links: list[LinkDescription] = []
    for number, (alpha, a, d, theta) in enumerate(rows):
        before, after = make_row_steps(convention, alpha, a, d, theta)
        parent = links[-1].name if links else None
        links.append(LinkDescription(f"l{number}", parent, before, Joint(REVOLUTE), after, POINT))
    return robot(*links)


def link(
    name: str,
    parent: str | None,
    joint: JointType,
    alpha: Exact,
    rpy: tuple[Exact, Exact, Exact] | None = None,
) -> LinkDescription:
    before, after = make_row_steps("modified", alpha, Exact("0.3"), Exact("0.1"), ZERO)
    origin = (
        ()
        if rpy is None
        else make_translation_and_rpy((Exact("0.1"), Exact("0.2"), Exact("0.3")), rpy)
    )
    return LinkDescription(name, parent, (*origin, *before), Joint(joint), after, POINT)


def robot(*links: LinkDescription) -> RobotDescription:
    return RobotDescription("r", (ZERO, ZERO, Exact("-9.81")), number_coordinates(links))


@given(st.tuples(*[st.integers(-2, 2)] * 3), st.integers(-2, 2))
@settings(max_examples=50)
def test_right_angles_leave_no_rounding_behind(quarters: tuple[int, int, int], turn: int) -> None:
    """Every number of a merged, branched robot with right angles only is a short decimal again."""
    rpy = (PI / 2 * quarters[0], PI / 2 * quarters[1], PI / 2 * quarters[2])
    description = robot(
        link("a", None, REVOLUTE, PI / 2 * turn),
        link("flange", "a", FIXED, PI / 2, rpy),
        link("b", "flange", REVOLUTE, -PI / 2, rpy),
        link("c", "a", REVOLUTE, PI, rpy),
    )
    assert_frames_agree(description)
    for body in build_model(description).bodies:
        placement, inertial = body.placement, body.inertial
        assert None not in (
            placement.gamma.quarter_turns,
            placement.alpha.quarter_turns,
            placement.theta.quarter_turns,
        )
        for number in (
            *placement.translation,
            placement.d,
            *inertial.first_moment,
            *inertial.inertia,
        ):
            assert 1000 % number.to_fraction().denominator == 0


@pytest.mark.parametrize(
    "angles", [("1", "-1"), ("1", "2", "-3"), ("0.7", "0.4", "-1.1"), ("0.1", "0.2", "0.3", "-0.6")]
)
def test_angles_that_add_up_to_zero_give_parallel_axes(angles: tuple[str, ...]) -> None:
    """Fixed links turn by decimal angles, whose cosines are rational approximations; the frames
    must not run away.
    """
    *fixed, last = (Exact(angle) for angle in angles)
    links = [link("a", None, REVOLUTE, ZERO)]
    for number, angle in enumerate(fixed):
        links.append(link(f"f{number}", links[-1].name, FIXED, angle))
    description = robot(*links, link("b", links[-1].name, REVOLUTE, last))
    placement = build_model(description).bodies[1].placement
    assert max(abs(float(x)) for x in (*placement.translation, placement.d)) < 10
    assert_frames_agree(description)


@pytest.mark.parametrize("angles", [("0.4", "0.3"), ("1", "0.2", "-0.5")])
def test_angles_that_add_up_to_a_right_angle_give_exact_zeros(angles: tuple[str, ...]) -> None:
    links = [link("a", None, REVOLUTE, ZERO)]
    for number, angle in enumerate(angles):
        links.append(link(f"f{number}", links[-1].name, FIXED, Exact(angle)))
    rest = PI / 2 - sum((Exact(angle) for angle in angles), ZERO)
    description = robot(*links, link("b", links[-1].name, REVOLUTE, rest))
    assert build_model(description).bodies[1].placement.alpha.quarter_turns == 1
    assert_frames_agree(description)


@pytest.mark.parametrize("tilt", ["1e-3", "1e-5", "1e-7", "1e-10", "1e-20"])
def test_frames_of_nearly_parallel_axes_stay_near(tilt: str) -> None:
    """Calibrated robots: the common normal of axes that miss being parallel by a hair is far away,
    the frame need not be.
    """
    nearly = (Exact(tilt), -Exact(tilt), Exact("0.2"))
    description = robot(link("a", None, REVOLUTE, ZERO), link("b", "a", REVOLUTE, ZERO, nearly))
    placement = build_model(description).bodies[1].placement
    assert max(abs(float(x)) for x in (*placement.translation, placement.d)) < 10
    assert_frames_agree(description)


def test_what_is_fixed_to_the_base_does_not_count() -> None:
    description = robot(
        link("pedestal", None, FIXED, PI / 2), link("a", "pedestal", REVOLUTE, ZERO)
    )
    model = build_model(description)
    assert model.attachments["pedestal"][0] == BASE
    assert model.bodies[0].parent == BASE
    assert model.bodies[0].inertial == InertialParameters.convert(POINT)
    assert model.notes == ("link pedestal is fixed to the base: it has no effect on the dynamics",)
    assert_frames_agree(description)


def test_gravity_stays_in_the_base_frame() -> None:
    description = replace(random_description(3, 2), gravity=(Exact(1), Exact(Fraction(2, 3)), ZERO))
    assert build_model(description).gravity == description.gravity
