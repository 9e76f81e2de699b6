"""Three hundred random robots, chains and trees: read, generated in Python, proved."""

from __future__ import annotations

import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import parse_robot
from tests.support.random_robots import random_description
from tests.support.robot_text import to_yaml


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_every_random_robot_is_generated_and_proved(first: int) -> None:
    for seed in range(first, first + 50):
        tree = seed % 2 == 1
        function = FUNCTIONS[seed % len(FUNCTIONS)].name
        massless = (
            0.0 if function.startswith("forward_dynamics") else 0.1
        )  # which a joint that moves nothing does not have
        robot = random_description(
            seed,
            1 + seed % 6,
            fixed_links=0.2,
            massless_links=massless,
            branches=tree,
            origins=tree,
        )
        description = parse_robot(to_yaml(robot), f"random_{seed}.yaml")
        assert (
            generate(description, Settings("python", (function,), states=20))
            .proofs[function]
            .passed
        )
