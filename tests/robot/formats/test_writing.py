"""Descriptions that are written:

YAML reads as the same description, URDF as Pinocchio's own reader has the same robot.
"""

from __future__ import annotations

from dataclasses import replace
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest

import dynagen
from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact
from dynagen.resources import list_bundled_robots
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.formats.urdf.writing import write_urdf
from dynagen.robot.formats.yaml.writing import write_yaml
from dynagen.robot.loading import parse_robot
from dynagen.verification.reference import make_references
from dynagen.verification.robot_difference import compute_largest_difference
from tests.support.libraries import pinocchio as pin
from tests.support.random_robots import random_description
from tests.support.urdf_robots import joint, link, pinocchio_forces, robot

EVERYTHING = """
name: every thing
source: "a book: 1990"
convention: standard
gravity: [0, -9.81/2, sqrt(3)/2]
parameters:
  load: {value: 2, unit: kg, runtime: true}
  tilt: {value: 0.25, runtime: true}
links:
  - name: shoulder
    joint: revolute
    dh: {alpha: pi/2, a: 0.4 + load/10, d: 0.3}
    mass: 4 + load
    com: [0, -load/8, tilt*load]
    inertia: [1, 1/3, 1, 0.01, 0, 0]
    limits: {position: [-pi, deg(170)], effort: 40}
    motor: {rotor_inertia: 1e-4, gear_ratio: 50}
    friction:
      viscous: 0.1
      coulomb: {positive: 2, negative: 1}
      offset: -0.1
      stribeck: {static: 3, velocity: 0.1}
      sign: tanh
      width: 0.01
      bearings: [{type: journal, coefficient: 0.004, radius: 0.03, length: 0.1, centre: -0.05}]
      transmission: {breakaway: 0.5, efficiency: [[0.1, 0.6], [1, 0.85]],
        rated: 80, interpolation: spline}
  - name: screw
    joint: helical
    dh: {alpha: 0, a: 0, d: 0.1, theta: tilt}
    pitch: 0.005/(2*pi)
    mass: 1
    first_moment: [0, 0, 0.1]
    inertia_about_origin: [0.1, 0.1, 0.02]
    friction: {transmission: {efficiency: 0.9}}
  - name: on
    joint: prismatic
    parent: shoulder
    origin: {xyz: [0, 0, 0.1], rpy: [0.1, 0, 0.3]}
    axis: [1, 1, 0]
    mass: 1
    com: [0, 0, 0]
    inertia: [0.01, 0.01, 0.01]
    mimic: {joint: screw, ratio: -0.3, offset: 0.02}
  - {name: ball, joint: spherical, origin: {xyz: [0.1, 0, 0.2], rpy: [0, 0, 0.4]}, mass: 1,
     com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01]}
  - {name: flange, joint: fixed, origin: {rpy: [0, pi/2, 0]}, mass: 0}
payload: flange
external_wrench: camera eye
frames: [{name: camera eye, link: flange, xyz: [0.1, 0, 0], rpy: [1.5, 0, -2]}]
"""
URDF = robot(
    link("base"),
    link("a"),
    joint("j", "base", "a", '<origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><dynamics damping="0.1"/>'),
    link("b"),
    joint("k", "a", "b", '<mimic joint="j" multiplier="2"/>', "prismatic"),
    link("tool0", ""),
    joint("f", "b", "tool0", '<origin rpy="1.5708 0 0"/>', "fixed"),
)


def in_yaml(description: RobotDescription) -> str:
    return write_yaml(description).text


def in_urdf(description: RobotDescription) -> str:
    return write_urdf(description).text


def same(one: RobotDescription, other: RobotDescription) -> None:
    for name in (
        "name",
        "source",
        "gravity",
        "links",
        "frames",
        "parameters",
        "payload",
        "external_wrenches",
    ):
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("name", list_bundled_robots())
def test_a_bundled_robot_in_yaml_is_read_as_it_was(name: str) -> None:
    description = dynagen.load_robot(name)
    same(parse_robot(in_yaml(description), "arm.yaml"), description)


def test_everything_that_yaml_says_is_read_as_it_was() -> None:
    description = parse_robot(EVERYTHING, "arm.yaml")
    written = in_yaml(description)
    assert "rotor" not in written  # reflected to the joint
    same(parse_robot(written, "arm.yaml"), description)


def test_random_robots_in_yaml_are_read_as_they_were() -> None:
    for seed in range(40):
        drawn = random_description(
            seed, helical=0.2, mimics=0.3, branches=True, fixed_links=0.3, origins=True, axes=0.3
        )
        found = parse_robot(in_yaml(drawn), "arm.yaml").links
        assert [with_direction(each) for each in found] == [
            with_direction(each) for each in drawn.links
        ]


def with_direction(described: LinkDescription) -> LinkDescription:
    """The link with an axis of length one where that is z, as a row has it."""
    x, y, z = described.joint.axis
    axis = (x, y, z / z) if z > 0 and not (x or y) else described.joint.axis
    return replace(described, joint=replace(described.joint, axis=axis))


def test_a_urdf_in_yaml_keeps_numbers_frames_and_the_names_of_joints() -> None:
    description = parse_robot(URDF, "arm.urdf")
    written = in_yaml(description)
    assert "joint_name: j\n" in written
    found = parse_robot(written, "arm.yaml")
    assert found.links[0].name == "base_1"  # `base` is the robot's base
    for here, there in zip(description.links[1:], found.links[1:], strict=True):
        assert (here.before, here.inertial.mass, here.friction, here.limits) == (
            there.before,
            there.inertial.mass,
            there.friction,
            there.limits,
        )
    assert [frame.name for frame in found.frames] == [frame.name for frame in description.frames]
    assert compute_largest_difference(description, found, [0]) == 0


def test_names_of_any_kind_stay_names() -> None:
    names = ("yes", "a: b", 'it\'s # "quoted"', "<b> & c", "b\u00f6se")
    links = [link(quoteattr(name)[1:-1]) for name in names]
    joints = [
        joint(f"j{number}&#10;mass: 5 --", "base_link", quoteattr(name)[1:-1])
        for number, name in enumerate(names)
    ]
    description = parse_robot(robot(link("base_link"), *links, *joints), "arm.urdf")
    assert [each.name for each in description.links[1:]] == list(names)
    assert [each.name for each in parse_robot(in_yaml(description), "arm.yaml").links[1:]] == list(
        names
    )
    read = parse_robot(in_urdf(description), "arm.urdf")
    assert [(each.name, each.joint.name) for each in read.links] == [
        (each.name, each.joint.name) for each in description.links
    ]


def test_a_urdf_in_urdf_is_read_as_it_was() -> None:
    description = parse_robot(URDF, "arm.urdf")
    found = parse_robot(in_urdf(description), "arm.urdf")
    assert compute_largest_difference(description, found, [0]) < 1e-15
    assert [replace(each, inertial=None) for each in found.links] == [
        replace(each, inertial=None) for each in description.links
    ]


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(25))
def test_random_robots_in_urdf_move_in_pinocchio_as_they_did(seed: int) -> None:
    drawn = random_description(
        seed, joints=4, branches=True, fixed_links=0.3, origins=True, axes=0.3, mimics=0.2
    )
    gravity = (Exact(0), Exact(0), Exact("-9.81"))
    drawn = replace(
        drawn,
        gravity=gravity,
        links=tuple(replace(each, motor_inertia=Exact(0)) for each in drawn.links),
    )
    text = in_urdf(drawn)
    read = parse_robot(text, "arm.urdf")
    own = [each for each in drawn.links if each.joint.nv]
    place = {each.joint_name: each.joint.idx_v for each in read.links if each.joint.nv}
    order = [place[f"{each.name}_joint"] for each in own]
    for q, v, a in np.random.default_rng(seed).uniform(-1, 1, (3, 3, len(own))):
        back = np.argsort(order)
        tau, _ = pinocchio_forces(text, read, q[back], v[back], a[back])
        expected = make_references(drawn)[0].compute_inverse_dynamics(q, v, a)
        np.testing.assert_allclose(
            tau[order], expected, rtol=0, atol=1e-12 * np.abs(expected).max()
        )


@pytest.mark.tools
def test_the_inertia_of_motors_is_written_for_drake_and_read_again() -> None:
    text = in_urdf(dynagen.load_robot("puma560"))
    assert 'xmlns:drake="https://drake.mit.edu"' in text
    read = parse_robot(text, "arm.urdf")
    assert [each.motor_inertia for each in read.links[1:]] == [
        each.motor_inertia for each in dynagen.load_robot("puma560").links
    ]
    assert pin.buildModelFromXML(text).nv == 6


def test_what_urdf_cannot_say_is_refused_all_at_once() -> None:
    with pytest.raises(UsageError) as error:
        in_urdf(parse_robot(EVERYTHING, "arm.yaml"))
    for reason in (
        "it has a payload with run-time parameters",
        "its numbers depend on the run-time parameters load, tilt",
        "it has external wrenches as inputs",
        "link screw has a helical joint",
        "link shoulder has friction other than viscous and Coulomb friction",
    ):
        assert reason in str(error.value)
