"""Steps of the search: programs become cheaper, stay accurate, and are reproducible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from dynagen.ir.cost import FLOPS, compute_cost, count
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.search.step import (
    search_by_resubstitution,
    search_factors,
    search_windows,
    search_with_restarts,
)
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.report.accuracy import measure_rounding
from dynagen.robot.loading import load_robot
from tests.support.hash_seeds import with_two_hash_seeds
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "function", "most"),
    [
        ("puma560_listing_3dof", "inverse_dynamics", 67),
        ("stanford_listing_3dof", "inverse_dynamics", 48),
        ("scara", "inverse_dynamics", 26),
        ("ur5", "gravity_forces", 12),
        ("puma260", "gravity_forces", 15),
    ],
)
def test_small_programs_cost_less_are_proved_and_lose_no_digits(robot, function, most):
    generation = generate(
        load_robot(robot), Settings(functions=(function,), states=200, optimize="max", budget=10)
    )
    (made,) = generation.functions
    assert made.operations.total <= most
    assert generation.proofs[function].passed
    assert made.passes[-1].name == "polishing"
    assert made.passes[-1].after == made.operations
    usual = generate(load_robot(robot), Settings(functions=(function,), verify=False))
    after, before = (measure_rounding(each)[function].emitted for each in (generation, usual))
    assert after <= 4 * max(1, before)


@pytest.mark.slow
@settings(max_examples=10)
@given(programs())
def test_no_program_becomes_dearer(program):
    optimised = run_passes(program)
    factored = search_factors(optimised, FLOPS, 12)
    assert compute_cost(factored[0], FLOPS) <= compute_cost(optimised[0], FLOPS)
    assert compute_cost(
        search_by_resubstitution(program, factored, FLOPS, 12)[0], FLOPS
    ) <= compute_cost(factored[0], FLOPS)
    assert compute_cost(
        search_with_restarts(program, factored, FLOPS, 40)[0], FLOPS
    ) <= compute_cost(factored[0], FLOPS)


def test_a_search_ends_with_resynthesis_windows():
    """Both products of (x0 x1) x3 + (x0 x2) x4 exist."""
    text = "u = x[0]*x[1]\nv = x[0]*x[2]\nw = x[0]*(x[1]*x[3] + x[2]*x[4])\nresult y = u, v, w\n"
    program = parse_program(f'program f\ninput x[5] "" ""\noutput y[3] "" ""\nsection ""\n{text}')
    made, records = search_windows(program, (program, ()), FLOPS, 12)
    assert count(made).total == 5
    assert [(each.name, each.before, each.after) for each in records] == [
        ("polishing", count(program), count(made))
    ]


@pytest.mark.slow
def test_large_programs_are_not_written_out_but_searched():
    asked = Settings(functions=("inverse_dynamics",), states=200, budget=60)
    usual, searched = (
        generate(load_robot("ur5"), replace(asked, optimize=optimize))
        for optimize in ("default", "max")
    )
    (made,) = searched.functions
    assert made.operations.total <= usual.functions[0].operations.total - 10
    assert made.passes[-1].name == "polishing"
    assert searched.proofs["inverse_dynamics"].passed


PRINT = """
import sys
from dynagen.pipeline.generation import Settings
from dynagen.ir.text import print_program
from dynagen.pipeline.driver import generate
from dynagen.robot.loading import load_robot
asked = Settings(functions=("inverse_dynamics",), verify=False, optimize="max", budget=10)
made = generate(load_robot("stanford_listing_3dof"), asked).functions[0]
sys.stdout.write(print_program(made.program))
"""


@pytest.mark.slow
def test_a_search_does_not_depend_on_the_hash_seed() -> None:
    first, second = with_two_hash_seeds(PRINT)
    assert first.startswith(b"program inverse_dynamics\n")
    assert first == second
