"""Arms with full inertias: savings by second moments and the free frame of the last body."""

import pytest

from dynagen.numbers.exact import ZERO
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.robot.model.base_parameters import list_base_parameters
from dynagen.robot.model.model import build_model
from dynagen.robot.model.moving_frames import align_origins, place_tips
from tests.support.counts_table import total_of
from tests.support.random_robots import random_description


@pytest.mark.parametrize(("seed", "most"), [(1, 687), (5, 679), (7, 685)])
def test_inverse_dynamics_of_a_general_arm(seed, most):
    arm = random_description(seed, 6, "modified", prismatic=0, right_angles=0)
    generation = generate(arm, Settings(functions=("inverse_dynamics",), states=20))
    assert generation.functions[0].operations.total <= most
    assert generation.proofs["inverse_dynamics"].passed


@pytest.mark.parametrize(("function", "most"), [("mass_matrix", 552), ("forward_dynamics", 1357)])
def test_a_general_arm_costs_less_than_by_hand(function, most):
    """585 and 1440 by hand; 1659 for forward dynamics in the literature (Saha)."""
    arm = random_description(1, 6, "modified", prismatic=0, right_angles=0)
    (made,) = generate(arm, Settings(functions=(function,), verify=False)).functions
    assert made.operations.total <= most


@pytest.mark.parametrize(
    ("function", "most"), [("inverse_dynamics", 562), ("forward_dynamics", 1071)]
)
def test_an_arm_with_right_angles_and_full_inertias(function, most):
    assert total_of("panda", function) <= most


def test_frames_of_tips_lie_where_the_centre_of_mass_is_above_x_and_nothing_is_displaced():
    description = random_description(3, 5, prismatic=0, right_angles=0, branches=True)
    model = build_model(description)
    placed = place_tips(model)
    for index, (before, after) in enumerate(zip(model.bodies, placed.bodies, strict=True)):
        if model.list_children(index):
            assert before == after
        else:
            assert after.placement.d == after.inertial.first_moment[1] == ZERO
    assert place_tips(placed) == placed


def test_base_regressors_are_computed_in_slid_frames_and_keep_their_parameters():
    arm = load_robot("puma560")
    generations = [
        generate(arm, Settings(functions=("base_regressor",), optimize=optimize, states=20))
        for optimize in ("none", "default")
    ]
    described, chosen = (generation.functions[0] for generation in generations)
    assert generations[1].proofs["base_regressor"].passed
    assert chosen.operations.total <= 665 < described.operations.total
    names = [made.program.outputs[0].argument for made in (described, chosen)]
    assert names[0] == names[1]
    model = build_model(arm)
    assert list_base_parameters(align_origins(model)) == list_base_parameters(model)
