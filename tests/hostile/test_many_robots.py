"""Random robots: read, generated in Python, proved; every function of a chain and of a tree.

`make fuzz` proves as many more as there is time for.
"""

from __future__ import annotations

import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import parse_robot
from dynagen.robot.model.model import build_model
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM, OF_HELD_FRAMES
from tests.support.random_robots import random_description
from tests.support.robot_text import to_yaml

PROVED = (
    *FUNCTIONS_OF_ANY_ARM,
    *(each for each in FUNCTIONS if each.name in OF_HELD_FRAMES),
)
ROBOTS = 2 * len(PROVED)
PARTS = 7  # of about the same length, because derivatives stand together


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_random_robot_is_generated_and_proved(part: int) -> None:
    for seed in range(part, ROBOTS, PARTS):
        tree = seed % 2 == 1
        robot = random_description(
            seed,
            1 + 3 * seed % 5,
            fixed_links=0.2,
            massless_links=0.1,
            branches=tree,
            origins=tree,
        )
        description = parse_robot(to_yaml(robot), f"random_{seed}.yaml")
        model = build_model(description)
        place = seed // 2  # the function there, or else the next that this robot has
        function = next(
            each.name
            for each in (*PROVED[place:], *PROVED[:place])
            if not each.availability.unavailable_because(model)
        )
        result = generate(description, Settings("python", (function,), states=20))
        assert result.proofs[function].passed
