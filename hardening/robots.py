"""Small robots that together use most of the generator, for mutation testing."""

from __future__ import annotations

from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot, parse_robot
from tests.support.loaded_arm import LOADED_ARM

_TREE = """
name: tree
convention: standard
gravity: [1.2, -3.0, -9.0]
links:
  - {name: trunk, joint: floating, mass: 4, com: [0.1, 0.02, 0], inertia: [0.1, 0.12, 0.11]}
  - name: hip
    joint: revolute
    origin: {xyz: [0.1, 0.2, 0], rpy: [0.3, 0, 0.4]}
    axis: [1, 0, 1]
    mass: 1.5
    com: [0, 0.1, -0.2]
    inertia: [0.02, 0.03, 0.01, 0.001, 0, 0.002]
    motor: {inertia: 0.02}
  - name: foot
    parent: hip
    joint: revolute
    dh: {alpha: 0.4, a: 0.3, d: 0, theta: pi/2}
    mimic: {joint: hip, ratio: -0.5, offset: 0.2}
    mass: 0.5
    com: [0.1, 0, 0]
    inertia: [0.001, 0.002, 0.003]
  - name: screw
    parent: trunk
    joint: helical
    pitch: 0.05
    origin: {xyz: [-0.1, 0, 0], rpy: [0, 0.2, 0]}
    axis: [0, 1, 0]
    mass: 0.7
    com: [0, 0, 0.3]
    inertia: [0.01, 0.01, 0.002]
"""
_CHAIN = """
name: chain
convention: modified
gravity: [0, 0, -9.81]
links:
  - {name: one, joint: revolute, dh: {alpha: 0, a: 0, d: 0.2}, mass: 3, com: [0.1, 0, 0.1],
      inertia: [0.1, 0.2, 0.3]}
  - {name: two, joint: revolute, dh: {alpha: pi/2, a: 0.1, d: 0, theta: -pi/2}, mass: 2,
      com: [0.2, 0.1, 0], inertia: [0.02, 0.04, 0.03, 0.001, 0.002, 0]}
  - {name: three, joint: revolute, dh: {alpha: 0, a: 0.4, d: 0.1}, mass: 1, com: [0.1, 0, 0.05],
      inertia: [0.01, 0.02, 0.02]}
"""


def make_robots() -> tuple[RobotDescription, ...]:
    """Return an arm with a payload, a floating tree, a chain with parallel axes, a planar arm."""
    return (
        LOADED_ARM,
        parse_robot(_TREE, "tree.yaml"),
        parse_robot(_CHAIN, "chain.yaml"),
        load_robot("planar3"),
    )
