"""Planar joints of URDFs: their coordinates, against Pinocchio's planar joint, and what is said of
them.
"""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.robot.joints import PRISMATIC, REVOLUTE
from dynagen.robot.loading import parse_robot
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.libraries import pinocchio as pin

CART = """<robot name="cart"><link name="ground"/>
  <link name="cart"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="4"/>
    <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0.1 0.2"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wheels" type="planar"><origin xyz="0.5 0 0.1" rpy="0 0 0.3"/>
    <parent link="ground"/><child link="cart"/><axis xyz="AXIS"/></joint>
  <joint name="lift" type="continuous"><origin xyz="0 0 0.4"/>
    <parent link="cart"/><child link="arm"/><axis xyz="1 0 0"/></joint>
</robot>"""


def cart(axis: str = "0 0 1", more: str = "") -> str:
    return CART.replace("AXIS", axis).replace("</joint>", more + "</joint>", 1)


def test_a_planar_joint_is_two_prismatic_ones_and_a_continuous_one() -> None:
    description = parse_robot(cart(), "cart.urdf")
    moving = [link for link in description.links if link.joint.moves]
    assert [(link.name, link.joint.type, link.joint_name) for link in moving] == [
        ("wheels_x", PRISMATIC, "wheels_x"),
        ("wheels_y", PRISMATIC, "wheels_y"),
        ("cart", REVOLUTE, "wheels"),
        ("arm", REVOLUTE, "lift"),
    ]
    assert description.warnings == ()
    along = [[float(x) for x in link.joint.axis] for link in moving[:3]]
    assert along == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -2", "1 0 0", "0 1 0", "0 -1 0"])
def test_its_axes_are_a_right_handed_frame(axis: str) -> None:
    first, second, about = (
        np.array([float(x) for x in link.joint.axis])
        for link in [
            link for link in parse_robot(cart(axis), "cart.urdf").links if link.joint.moves
        ][:3]
    )
    np.testing.assert_array_equal(np.cross(first, second), np.sign(about))


@pytest.mark.tools
def test_it_moves_as_pinocchios_planar_joint() -> None:
    model = pin.buildModelFromXML(cart())
    data = model.createData()
    description = parse_robot(cart(), "cart.urdf")
    states = sample_states(description, count=40)
    forces = make_references(description)[0].compute_inverse_dynamics(
        states["q"], states["qd"], states["qdd"]
    )
    for q, v, a, tau in zip(states["q"], states["qd"], states["qdd"], forces, strict=True):
        cosine, sine = np.cos(q[2]), np.sin(q[2])
        back = np.array(
            [[cosine, sine], [-sine, cosine]]
        )  # from axes of the ground to those of the cart
        drift = v[2] * np.array([[-sine, cosine], [-cosine, -sine]]) @ v[:2]
        at = np.array([q[0], q[1], cosine, sine, np.cos(q[3]), np.sin(q[3])])
        rates = np.concatenate([back @ v[:2], v[2:]])
        changes = np.concatenate([back @ a[:2] + drift, a[2:]])
        expected = pin.rnea(model, data, at, rates, changes)
        expected[:2] = back.T @ expected[:2]
        np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_what_is_not_read_of_it_is_noted() -> None:
    description = parse_robot(
        cart(more='<limit effort="1" velocity="1"/><dynamics damping="1"/>'), "cart.urdf"
    )
    assert any(
        "joint wheels: <limit>, <dynamics> of a planar joint is not read" in note
        for note in description.notes
    )
