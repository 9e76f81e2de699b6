"""Every function for robots whose joints are of all types, with axes in any direction."""

from __future__ import annotations

import pytest
from function_proofs import optimised, proofs, random_formulation
from random_robots import random_description

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS

FOLLOWING = [function for function in FUNCTIONS if not function.base_parameters]


@pytest.mark.parametrize("function", FOLLOWING, ids=lambda function: function.name)
def test_functions_agree_with_the_references_where_joints_follow_others(function: DynamicsFunction) -> None:
    for seed in range(6):
        description = random_description(
            seed, 5, helical=0.3, axes=0.3, right_angles=(0.9, 0.3)[seed % 2], branches=seed > 1, fixed_links=0.2, mimics=0.5
        )
        program = optimised(function, description, random_formulation(description, seed))
        proofs(description, function, program).require()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_functions_agree_with_the_references(function: DynamicsFunction) -> None:
    for seed in range(4):
        description = random_description(
            seed, 4, helical=0.6, axes=0.5, right_angles=(0.8, 0.3)[seed % 2], branches=seed > 1, fixed_links=0.2
        )
        for method in function.methods:
            program = optimised(function, description, random_formulation(description, seed), method)
            proofs(description, function, program).require()
