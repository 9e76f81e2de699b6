"""Fixed links as parts of those that carry them: the same robot, with fewer bodies."""

from __future__ import annotations

import numpy as np
import pytest

import dynagen
from dynagen.apps.benchmarking.merging import merge_fixed_links
from dynagen.verification.reference import make_references
from tests.support.urdf_robots import joint, link, robot

PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
ROBOT = robot(
    link("world"),
    link("pedestal"),
    joint("bolts", "world", "pedestal", PLACED, "fixed"),
    link("torso"),
    joint("waist", "pedestal", "torso", PLACED + '<axis xyz="0 1 1"/>'),
    link("flange"),
    joint("weld", "torso", "flange", PLACED, "fixed"),
    link("camera"),
    joint("screws", "flange", "camera", PLACED, "fixed"),
    link("finger"),
    joint("slide", "flange", "finger", PLACED, "prismatic"),
)


@pytest.fixture(scope="module")
def description(tmp_path_factory):
    path = tmp_path_factory.mktemp("lumping") / "arm.urdf"
    path.write_text(ROBOT)
    return dynagen.load_robot(path)


def test_the_joint_forces_of_a_robot_stay_and_its_fixed_links_go(description):
    whole = merge_fixed_links(description)
    assert [(each.name, each.parent) for each in whole.links] == [
        ("torso", None),
        ("finger", "torso"),
    ]
    states = np.random.default_rng(4).uniform(-1, 1, (3, 20, 2))
    expected = make_references(description)[0].compute_inverse_dynamics(*states)
    np.testing.assert_allclose(
        make_references(whole)[0].compute_inverse_dynamics(*states),
        expected,
        rtol=1e-12,
        atol=1e-12,
    )


def test_the_regressor_has_columns_for_the_bodies_that_move(description):
    (function,) = dynagen.generate(
        merge_fixed_links(description), functions=("regressor",), verify=False
    ).functions
    (matrix,) = function.program.outputs
    assert matrix.argument.shape == (2, 2 * (10 + 1))
