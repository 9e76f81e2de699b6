"""The programs behind the three-link planar arm, line by line: small enough to review.

`make golden` rewrites these files.
"""

from dynagen.ir.text import print_program
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import generated


def test_programs(golden):
    generation = generated(load_robot("planar3"), Settings("python", ("all",), verify=False))
    for function in generation.functions:
        golden(f"planar3/{function.name}.ir", print_program(function.program))
