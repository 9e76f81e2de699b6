"""Resynthesis windows keep the meaning and the cost, and find common gains of several nodes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from dynagen.ir.cost import FLOPS
from dynagen.ir.program import Program
from dynagen.ir.validation import validate
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.program_graph import read_program
from dynagen.optimizer.search.exact_synthesis import draw_window, resynthesize
from dynagen.optimizer.value_graph import ValueGraph
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning

HEAD = 'program f\ninput x[5] "" ""\noutput y[3] "" ""\nsection ""\n'


def of_text(text: str) -> Program:
    return parse_program(HEAD + text)


def count_changes(graph: ValueGraph, seed: int) -> int:
    """Draw a window around each node; return how many have changed."""
    random, changes = Random(seed), 0
    for node in [
        node for node in graph.iterate_needed_nodes() if not graph.definitions[node].is_fixed
    ]:
        if graph.uses[node] and (window := draw_window(graph, node, random)):
            before = graph.cost
            changes += resynthesize(graph, window, random)
            assert graph.cost <= before
    return changes


@settings(max_examples=60)
@given(programs(most_operations=40))
def test_the_meaning_stays(program):
    program = remove_dead_code(program)
    made = read_program(program, FLOPS)
    for seed in range(3):
        count_changes(made.graph, seed)
    assert_same_meaning(program, validate(made.emit()))


PLANTED = [
    # (x0 x1) x3 + (x0 x2) x4, from products that exist
    ("u = x[0]*x[1]\nv = x[0]*x[2]\nw = x[0]*(x[1]*x[3] + x[2]*x[4])\nresult y = u, v, w\n", 5),
    # x0 + x2 is in both sums
    ("u = (x[0] + x[1]) + x[2]\nv = (x[0] + x[3]) + x[2]\nw = x[4]\nresult y = u, v, w\n", 3),
    # three results together
    ("u = (x[0] + x[1])*x[2]\nv = x[0]*x[2] + x[3]\nw = x[1]*x[2] - x[3]\nresult y = u, v, w\n", 5),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "most"), PLANTED, ids=["divisors", "two outputs", "three outputs"]
)
def test_what_nodes_gain_together_is_found(text, most):
    graph = read_program(of_text(text), FLOPS).graph
    for seed in range(20):
        count_changes(graph, seed)
    assert graph.cost <= most


def test_results_that_are_zero_are_left_alone():
    graph = read_program(
        of_text(
            "a = x[0]*x[1]\nu = (x[0] + 1)*x[1] - a - x[1]\nv = a*x[2] + x[3]\nresult y = u, v, a\n"
        ),
        FLOPS,
    ).graph
    for seed in range(5):
        count_changes(graph, seed)
    assert graph.cost <= 6


def test_other_forms_of_equal_cost_are_taken():
    graph = read_program(
        of_text("u = x[0]*x[1] + x[0]*x[2] + x[3]\nv = x[1]*x[3]\nw = x[2]\nresult y = u, v, w\n"),
        FLOPS,
    ).graph
    assert sum(count_changes(graph, seed) for seed in range(5))
    assert graph.cost == 4
