"""Resubstitution keeps the meaning, adds no cost, and finds equal functions of any form."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.cost import COST_MODELS, FLOPS, compute_cost, count
from dynagen.ir.program import Operation, Program
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import Combination
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.program_graph import read_program
from dynagen.optimizer.search.resubstitution import resubstitute_at_random
from dynagen.optimizer.value_graph import add_constant
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning, results

HEAD = (
    'program f\ninput q[2] "" "rad"\ninput x[5] "" ""\noutput y[3] "" ""\n'
    'section ""\ns0, c0 = sincos(q[0])\n'
)


def of_text(text: str) -> Program:
    return parse_program(HEAD + text)


@given(programs())
def test_a_value_graph_emits_its_program(program):
    program = remove_dead_code(program)
    made = validate(read_program(program, FLOPS).emit())
    assert_same_meaning(program, made)
    assert count(made).total <= count(program).total


@settings(max_examples=40)
@given(
    programs(),
    st.sampled_from([model for model in COST_MODELS if not model.fusing_saves]),
    st.sampled_from([0, 0.5]),
)
def test_the_meaning_stays_and_the_cost_falls(program, model, windows):
    before = remove_dead_code(program)
    after = validate(resubstitute_at_random(before, model, 40, windows=windows))
    assert_same_meaning(program, after)
    signs = model.weights.get("neg", 0) * (count(after).neg - count(before).neg)
    assert compute_cost(after, model)[0] <= compute_cost(before, model)[0] + max(0, signs)


@settings(max_examples=20)
@given(programs())
def test_costs_and_uses_follow_every_change_and_every_way_back(program):
    made = read_program(program, FLOPS)
    graph, before = made.graph, print_program(made.emit())
    definitions, cost, uses = list(graph.definitions), graph.cost, list(graph.uses)
    nodes = [node for node in graph.iterate_needed_nodes() if not graph.definitions[node].is_fixed]
    for node in nodes:
        graph.begin()
        left, right = graph.definitions[node].operands
        graph.add_helper(Combination(graph.definitions[node].operation, left ^ 1, right))
        leaves = [
            each for each in graph.iterate_needed_nodes() if not graph.definitions[each].operands
        ]
        graph.define(
            node, graph.definitions[node]._replace(operands=(2 * leaves[0], 2 * leaves[-1]))
        )
        graph.roll_back()
        assert graph.cost == cost
        assert graph.uses[: len(uses)] == uses
    assert print_program(made.emit()) == before
    made.restore(definitions)
    assert graph.cost == cost


PLANTED = [
    # (a + b)(a - b) and a^2 - b^2: two products and a difference disappear
    ("u = (x[0] + x[1])*(x[0] - x[1])\nv = x[0]*x[0] - x[1]*x[1] + x[2]\n"
     "w = x[3]*x[4]\nresult y = u, v, w\n", 5),
    # angle sums: the sine of q0 + q1 exists
    ("s01, c01 = sincos(q[0] + q[1])\ns1, c1 = sincos(q[1])\nu = s01*x[0]\n"
     "v = (s0*c1 + c0*s1)*x[1]\n"
     "w = c01*x[2]\n"
     "result y = u, v, w\n", 4),
    # c^2 is 1 - s^2, and s^2 exists
    ("u = s0*s0\nv = c0*c0 + x[0]\nw = x[1]\nresult y = u, v, w\n", 3),
    # x0 (x1 + x2) + x0 x3 is x0 times an existing sum
    ("u = x[1] + x[2] + x[3]\nv = x[0]*(x[1] + x[2]) + x[0]*x[3]\n"
     "w = x[4]\nresult y = u, v, w\n", 3),
    # a multiple of an existing sum
    ("u = x[0]*x[1] + x[2]\nv = {2/3}*x[0]*x[1] + {2/3}*x[2]\nw = x[3]\nresult y = u, v, w\n", 3),
    # 3 x^2 - 30 x + 77 is 3 (x - 5)^2 + 2
    ("u = x[0] - 5\nv = 3*x[0]*x[0] - 30*x[0] + 77\nw = x[3]\nresult y = u, v, w\n", 4),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "most"),
    PLANTED,
    ids=["squares", "sum of angles", "circle", "distributed", "multiple", "completed square"],
)
def test_planted_identities_are_found(text, most):
    assert count(resubstitute_at_random(of_text(text), FLOPS, 60)).total <= most


@pytest.mark.parametrize(
    "factor", ["{1000000000001/1000000000000}", "{999999999999/1000000000000}"]
)
def test_what_is_nearly_equal_stays(factor):
    text = (
        f"u = x[0]*(x[1] + x[2])\nv = {factor}*(x[0]*x[1] + x[0]*x[2])\n"
        "w = x[3]\nresult y = u, v, w\n"
    )
    made = resubstitute_at_random(of_text(text), FLOPS, 60)
    assert {str(each.payload) for each in made.instructions if each.payload is not None} >= {
        factor.strip("{}")
    }


@pytest.mark.parametrize("windows", [0, 1])
def test_nothing_comes_to_depend_on_a_division(windows):
    """v equals u wherever x2 is not zero, but is defined at zero too."""
    program = of_text(
        "u = (x[0] + x[1])*x[2]/x[2]\nv = x[0] + x[1]\n"
        "w = x[2]*x[2]*(x[0]/x[2])\nresult y = u, v, w\n"
    )
    made = resubstitute_at_random(program, FLOPS, 60, windows=windows)
    *_, output = made.outputs
    needed, pending = set(), [output.values[1]]
    while pending:
        instruction = made.instructions[pending.pop()]
        needed.add(instruction.operation.value)
        pending += instruction.operands
    assert "divide" not in needed


@pytest.mark.parametrize("windows", [0, 1])
def test_what_cancels_is_not_computed_from_what_is_large(windows):
    """Computing v as w - u would lose four digits."""
    program = of_text(
        "u = 10000*x[0]\nv = x[1]*x[2]*x[3]\nw = u + v\nresult y = u, v, w\n",
    )
    made = resubstitute_at_random(program, FLOPS, 60, windows=windows)
    v = made.instructions[made.outputs[0].values[1]]
    assert v.operation.value == "multiply"


@given(st.fractions(max_denominator=10**40), st.fractions(max_denominator=10**40).filter(bool))
def test_numbers_of_new_constants_are_known_by_their_residues(term, factor):
    graph = read_program(
        of_text("u = x[0]*x[1]\nv = x[2]\nw = x[3]\nresult y = u, v, w\n"), FLOPS
    ).graph
    base = 2 * next(
        node for node in graph.iterate_needed_nodes() if not graph.definitions[node].is_fixed
    )
    multiple = graph.add_helper(
        Combination(Operation.MULTIPLY, add_constant(graph, Exact(factor)), base)
    )
    target = (
        graph.add_helper(Combination(Operation.ADD, multiple, add_constant(graph, Exact(term))))
        if term
        else multiple
    )
    assert graph.values.solve_affine(target, base) == (Exact(factor), Exact(term))


def test_a_number_is_a_number_though_it_was_computed():
    made = read_program(of_text("u = s0*s0\nv = c0*c0\nw = x[0]\nresult y = u, v, w\n"), FLOPS)
    one = made.graph.add_helper(Combination(Operation.ADD, *made.results[:2]))
    assert made.graph.definitions[one >> 1].operands
    assert add_constant(made.graph, Exact(1)) == one
    assert made.graph.definitions[one >> 1].payload == Exact(1)


def test_a_result_that_is_a_number_is_not_computed_from_itself():
    program = of_text("u = s0*s0\nv = 37*u + 37*(c0*c0)\nw = v*x[0] + x[1]\nresult y = u, v, w\n")
    for seed in range(10):
        assert (
            count(validate(resubstitute_at_random(program, FLOPS, 40, seed))).total
            <= count(program).total
        )


def test_names_stay_with_their_values():
    program = of_text(
        "a = x[0]*x[1]\nb = x[0]*x[2] - a\nc = x[0]*(x[1] - x[2])\nresult y = a, b, c\n"
    )
    made = resubstitute_at_random(program, FLOPS, 20)
    assert {each.name for each in made.instructions} >= {"a", "b"}
    assert count(made).total == 3


def test_a_robot_needs_less():
    function = next(each for each in FUNCTIONS if each.name == "inverse_dynamics")
    program, _ = run_passes(function.build(build_model(load_robot("scara"))))
    made = resubstitute_at_random(program, FLOPS, 600)
    with mpmath.workdps(60):
        assert (
            max(abs(x - y) for x, y in zip(results(program), results(made), strict=True))
            < mpmath.mpf(10) ** -20
        )
    assert count(made).total < count(program).total
