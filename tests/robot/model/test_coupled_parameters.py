"""Base parameters of robots whose joints closed loops or mimics couple."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.dynamics.functions.regressors import BASE_PARAMETERS, BASE_REGRESSOR
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.base_parameters import list_base_parameters, list_groupings
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references
from tests.support.cut_trees import CutTree
from tests.support.function_proofs import optimised, proofs
from tests.support.random_robots import random_description
from tests.support.root import ROOT

ROBOTS = ROOT / "tests" / "robots"
PARALLELOGRAM = """name: parallelogram
gravity: [0, -9.81, 0]
links:
  - {name: crank, parent: base, joint: revolute, axis: [0, 0, 1], mass: 1, com: [0.1, 0.02, 0],
     inertia: [0.01, 0.01, 0.02], motor: {inertia: 0.05}}
  - {name: coupler, parent: crank, joint: revolute, axis: [0, 0, 1], origin: {xyz: [0.4, 0, 0]},
     mass: 2, com: [0.2, 0.1, 0], inertia: [0.02, 0.02, 0.04]}
  - {name: rocker, parent: base, joint: revolute, axis: [0, 0, 1], origin: {xyz: [0, 0.5, 0]},
     mass: 3, com: [0.2, 0, 0], inertia: [0.03, 0.03, 0.06]}
frames:
  - {name: coupler_end, link: coupler, xyz: [0, 0.5, 0]}
  - {name: rocker_end, link: rocker, xyz: [0.4, 0, 0]}
loops:
  - between: [coupler_end, rocker_end]
"""


def test_a_parallelogram_observes_what_its_crank_turns():
    """The coupler translates along a circle: its mass counts at the crank's end, as on paper."""
    model = build_model(parse_robot(PARALLELOGRAM, "parallelogram.yaml"))
    formulas = {each.name: dict(each.terms) for each in list_groupings(model)}
    assert formulas == {
        "crank.mxR": pytest.approx({"crank.mx": 1, "coupler.m": 0.4, "rocker.mx": 1}),
        "crank.myR": pytest.approx({"crank.my": 1, "rocker.my": 1}),
        "crank.JzzR": pytest.approx(
            {
                "crank.Jzz": 1,
                "crank.Ia": 1,
                "coupler.m": 0.16,
                "coupler.Ia": 1,  # its joint turns as fast as the crank's, backwards
                "rocker.Jzz": 1,
                "rocker.Ia": 1,
            }
        ),
    }


def test_rounding_errors_of_a_parallelogram_are_no_constraint():
    """The loop of a parallelogram in a general direction is closed up to rounding errors."""
    table = """links:
  - {name: table, parent: base, joint: revolute, axis: [0, 0, 1], mass: 1}
  - {name: plate, parent: table, joint: fixed,
     origin: {xyz: [-0.5, -0.4, 0.4], rpy: [0, -2.9, 1.9]}}
"""
    text = PARALLELOGRAM.replace("parent: base", "parent: plate").replace("links:\n", table)
    model = build_model(parse_robot(text, "parallelogram.yaml"))
    for function in (BASE_PARAMETERS, BASE_REGRESSOR):
        proofs(model.description, function, optimised(function, model.description)).require()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fourbar", "fivebar", "palletiser", "ankle_leg", "delta"])
def test_they_are_the_fewest_that_determine_the_forces_of_the_cut_tree(name):
    """The rank of the regressor, with motions from the multipliers' oracle, is their number."""
    cut = CutTree.read((ROBOTS / f"{name}.yaml").read_text(), name)
    q, generator = cut.draw(60), np.random.default_rng(1)
    free = cut.independent
    v, a = generator.uniform(-2, 2, (2, len(q), len(free)))
    reference, _ = make_references(cut.robot)
    columns = reference.regressors.compute_standard(q[:, free], v, a)
    columns = columns.reshape(-1, columns.shape[-1])
    base = list_base_parameters(build_model(cut.robot))
    factors = np.array([[float(each) for each in base_.coefficients] for base_ in base])
    # No column changes if parameters change along the null space of the factors, and all columns
    # are combinations of as many as there are base parameters.
    assert np.linalg.matrix_rank(factors) == len(base)
    null = np.linalg.svd(factors)[2][len(base) :]
    assert np.abs(columns @ null.T).max() < 1e-9 * np.abs(columns).max()
    observed = columns @ np.linalg.pinv(factors)
    sizes = np.linalg.svd(observed / np.linalg.norm(observed, axis=0), compute_uv=False)
    assert len(sizes) == len(base)
    assert sizes[-1] > 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("function", [BASE_PARAMETERS, BASE_REGRESSOR], ids=lambda each: each.name)
@pytest.mark.parametrize("seed", range(6))
def test_they_are_proved_for_mimicking_joints(function, seed):
    description = random_description(seed, 5, mimics=0.5, branches=True, prismatic=0.4)
    assert build_model(description).has_mimics
    proofs(description, function, optimised(function, description)).require()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["palletiser", "ankle_leg"])
def test_base_functions_of_loops_are_proved(name):
    # `test_all_with_loops` proves those of a four-bar and of a five-bar in C.
    description = load_robot(ROBOTS / f"{name}.yaml")
    for function in (BASE_PARAMETERS, BASE_REGRESSOR):
        proofs(description, function, optimised(function, description)).require()
