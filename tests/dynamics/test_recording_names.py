"""Names and sections of recorded programs, as a reader of generated code sees them."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.program import Operation
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM
from tests.support.random_robots import random_description, robots


@settings(max_examples=30)
@given(robots(), st.sampled_from(FUNCTIONS_OF_ANY_ARM))
def test_names_are_unique_and_lower_case(
    description: RobotDescription, function: DynamicsFunction
) -> None:
    recorded = function.build(build_model(description))
    for program in (recorded, run_passes(recorded)[0]):
        names = [
            instruction.name for instruction in program.instructions if instruction.name is not None
        ]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


def test_names_are_those_of_the_literature() -> None:
    function = FUNCTIONS[0]
    program = function.build(build_model(random_description(1, 2, "modified", prismatic=0)))
    names = {instruction.name for instruction in program.instructions}
    expected = {"s1", "c1", "s2", "c2", "tau1", "tau2"}
    expected |= {
        f"{stem}{body}_{axis}"
        for stem in ("w", "wd", "k", "a", "bf", "bm", "f", "n")
        for body in (1, 2)
        for axis in "xyz"
    }
    expected |= {f"l{body}_{row}{column}" for body in (1, 2) for row in "xyz" for column in "xyz"}
    assert expected <= names


def test_every_body_has_its_sections_outward_and_inward() -> None:
    program = FUNCTIONS[0].build(build_model(random_description(1, 3)))
    assert [title for title in program.sections if title] == [
        "Joint positions",
        *(f"Outward, body {number} (link_{number})" for number in (1, 2, 3)),
        *(f"Inward, body {number} (link_{number})" for number in (3, 2, 1)),
    ]


def test_the_general_algorithm_is_recorded_whatever_the_robot() -> None:
    """Zeros and ones of this robot vanish in the passes, not before."""
    one, other = (
        FUNCTIONS[0].build(
            build_model(random_description(seed, 3, "modified", prismatic=0, right_angles=angles))
        )
        for seed, angles in ((1, 1.0), (2, 0.0))
    )
    # Offsets of quarter turns are sign changes.
    ignored = (Operation.CONSTANT, Operation.INPUT, Operation.NEGATE)
    operations = [
        [
            instruction.operation
            for instruction in program.instructions
            if instruction.operation not in ignored
        ]
        for program in (one, other)
    ]
    assert operations[0] == operations[1]
