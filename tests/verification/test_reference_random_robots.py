"""The tests' own tool: random robots are what they claim to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from dynagen.robot.description import OriginInertia
from dynagen.robot.joints import FIXED, PRISMATIC, REVOLUTE
from dynagen.robot.loading import parse_robot
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots
from tests.support.robot_text import to_yaml


@given(robots())
@hypothesis_settings(max_examples=30)
def test_a_random_robot_survives_being_written_and_read(description):
    read = parse_robot(to_yaml(description), "random.yaml")
    assert (read.name, read.gravity) == (description.name, description.gravity)
    assert read.links == description.links


def test_one_seed_gives_one_robot():
    assert random_description(8, fixed_links=0.5, origins=True) == random_description(
        8, fixed_links=0.5, origins=True
    )
    assert random_description(8) != random_description(9)


def test_options_do_what_they_say():
    arm = random_description(1, joints=7, prismatic=0.0, fixed_links=1.0, inertia_form="origin")
    assert [link.joint.type for link in arm.links] == [REVOLUTE, FIXED] * 7
    assert all(isinstance(link.inertial, OriginInertia) for link in arm.links)
    assert all(
        link.joint.type is PRISMATIC
        for link in random_description(1, joints=7, prismatic=1.0).links
    )
    parents = [link.parent for link in random_description(6, joints=9, branches=True).links]
    assert parents.count(None) > 1
    assert len(set(parents)) < len(parents)


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(5))
def test_pinocchio_gets_every_joint_once_and_the_whole_mass(seed):
    description = random_description(seed, fixed_links=0.5, branches=True)
    model, order = pinocchio_model(description)
    moving = [link for link in description.links if link.joint.moves]
    assert sorted(order) == list(range(len(moving)))
    assert [moving[position].name for position in order] == list(model.names)[1:]
    assert sum(inertia.mass for inertia in model.inertias) == pytest.approx(
        sum(float(x.inertial.mass) for x in description.links)
    )
