"""Three hundred random robots, chains and trees: read, generated in Python, proved."""

from __future__ import annotations

import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import parse_robot
from dynagen.robot.model.model import build_model
from tests.support.random_robots import random_description
from tests.support.robot_text import to_yaml


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_every_random_robot_is_generated_and_proved(first: int) -> None:
    for seed in range(first, first + 50):
        tree = seed % 2 == 1
        robot = random_description(
            seed,
            1 + seed % 6,
            fixed_links=0.2,
            massless_links=0.1,
            branches=tree,
            origins=tree,
        )
        description = parse_robot(to_yaml(robot), f"random_{seed}.yaml")
        model = build_model(description)
        available = [
            each.name for each in FUNCTIONS if not each.availability.unavailable_because(model)
        ]
        function = available[seed % len(available)]
        result = generate(description, Settings("python", (function,), states=20))
        assert result.proofs[function].passed
