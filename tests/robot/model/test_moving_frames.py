"""Frames on common normals: a table keeps its frames, and frames that were elsewhere come to where
a table has them.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.ir.cost import count
from dynagen.ir.evaluation import evaluate
from dynagen.numbers.exact import Exact
from dynagen.optimizer.formulation import DesignSpace
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.model.moving_frames import place_on_normals
from dynagen.robot.pose import Rotation, Z, translate
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.random_robots import random_description, random_floating


def with_joint_frames_moved(description, seed):
    """The same robot, whose links that carry others have joint frames that are moved along and
    about the joint axes.
    """
    rng = np.random.default_rng(seed)
    carrying, links = {link.parent for link in description.links}, []
    for link in description.links:
        if link.name in carrying:
            angle, length = (Exact(f"{rng.integers(1, 100)}/70") for _ in range(2))
            there = Rotation(Z, angle), translate(Z, length)
            back = translate(Z, -length), Rotation(Z, -angle)
            link = replace(link, before=(*link.before, *there), after=(*back, *link.after))
        links.append(link)
    return replace(description, links=tuple(links))


@pytest.mark.parametrize("robot", ["puma560", "panda", "stanford", "planar3", "general6"])
def test_a_table_has_its_frames_on_common_normals(robot):
    model = build_model(load_robot(robot))
    assert place_on_normals(model) is model


@pytest.mark.parametrize("seed", range(4))
def test_frames_come_back_to_the_common_normals_of_a_chain(seed):
    chain = random_description(seed, 5, "modified", prismatic=0, right_angles=0)
    models = build_model(chain), build_model(with_joint_frames_moved(chain, seed))
    spaces = [DesignSpace(model) for model in models]
    described, placed = (
        [
            count(run_passes(INVERSE_DYNAMICS.build_for(model.resolve()))[0]).total
            for model in of_both
        ]
        for of_both in (
            [space.described for space in spaces],
            [space.on_normals for space in spaces],
        )
    )
    assert placed[0] == placed[1] <= described[0] < described[1] - 50
    bodies = spaces[1].on_normals.model.bodies
    assert place_on_normals(spaces[1].on_normals.model).bodies == bodies
    for before, after in pairwise(body.placement for body in bodies):
        assert after.gamma.quarter_turns is not None
        assert not (before.d and after.translation[2])


@pytest.mark.parametrize("seed", range(6))
def test_no_force_depends_on_where_frames_are(seed):
    options = {
        "prismatic": 0.3,
        "helical": 0.2,
        "axes": 0.5,
        "fixed_links": 0.2,
        "origins": True,
        "mimics": 0.2,
    }
    tree = (random_floating if seed % 2 else random_description)(seed, 5, branches=True, **options)
    moved = with_joint_frames_moved(tree, seed) if seed % 2 == 0 else tree
    program = run_passes(
        INVERSE_DYNAMICS.build_for(DesignSpace(build_model(moved)).on_normals.resolve())
    )[0]
    states = sample_states(tree, count=20)
    computed = np.array(
        evaluate(program, {name: states[name].T for name in ("q", "qd", "qdd")})["tau"]
    ).T
    expected = make_references(tree)[0].compute_inverse_dynamics(
        states["q"], states["qd"], states["qdd"]
    )
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


FORK = """
name: fork
convention: modified
gravity: [0, 0, -9.81]
links:
  - {name: stem, origin: {xyz: [0, 0, 0.3]}, BODY}
  - {name: arm, origin: {xyz: [0.1, 0.2, 0], rpy: [pi/2, 0, 0]}, BODY}
  - {name: left, parent: arm, origin: {xyz: [0.1, 0.25, 0.07], rpy: [0, 0, pi/2]}, BODY}
  - {name: right, parent: arm, origin: {xyz: [-0.2, 0.25, 0.03], rpy: [0, 0, -pi/2]}, BODY}
""".replace(
    "BODY",
    "joint: revolute, axis: [0, 1, 0], mass: 3, com: [0.1, 0.02, 0.03], inertia: [0.1, 0.12, "
    "0.09, 0.01, 0.002, 0.003]",
)


def test_frames_are_placed_by_values_whatever_numbers_are_made_of():
    """Two joints have one displacement along the arm's axis, written twice; constants know their
    formulas all the same.
    """
    (made,) = generate(parse_robot(FORK, "fork.yaml"), Settings(verify=False)).functions
    assert made.formulas
