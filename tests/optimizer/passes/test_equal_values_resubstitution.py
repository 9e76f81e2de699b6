"""Resubstitution among the passes: values from one operation on existing values."""

from __future__ import annotations

import pytest
from hypothesis import given

from dynagen.ir.cost import count
from dynagen.ir.program import Program
from dynagen.ir.validation import validate
from dynagen.optimizer.passes import equal_values
from dynagen.optimizer.passes.equal_values import resubstitute
from dynagen.optimizer.passes.folding import remove_dead_code
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning

HEAD = (
    'program f\ninput q[2] "" "rad"\ninput x[5] "" ""\noutput y[3] "" ""\n'
    'section ""\ns0, c0 = sincos(q[0])\n'
)


def of_text(text: str) -> Program:
    return parse_program(HEAD + text)


@pytest.mark.slow
@given(programs())
def test_the_meaning_stays_and_the_count_falls_or_nothing_changes(program):
    before = remove_dead_code(program)
    after = validate(resubstitute(before))
    assert_same_meaning(before, after)
    assert after is before or count(after).total < count(before).total


PLANTED = {
    "difference": ("u = x[0] + x[1]\nv = x[0] + x[2]\n"
        "w = (x[1] - x[2])*x[3] + x[4]*(u - v)\nresult y = u, v, w\n", 6),
    "product": ("u = x[1] + x[2]\nv = x[0]*x[1] + x[0]*x[2]\nw = x[3]\nresult y = u, v, w\n", 2),
    "squares": ("u = x[0] + x[1]\nv = x[0] - x[1]\n"
        "w = x[0]*x[0] - x[1]*x[1]\nresult y = u, v, w\n", 3),
    "circle": ("u = s0*s0\nv = 1 - (c0*c0)\nw = c0*x[0] + v\nresult y = u, v, w\n", 3),
    "sum of angles": (
        "s1, c1 = sincos(q[1])\ns, c = sincos(q[0] + q[1])\nu = s*x[0]\n"
        "v = (s0*c1 + c0*s1)*x[0] + x[1]\nw = c*x[2]\n"
        "result y = u, v, w\n", 4),
    "multiple": ("u = x[0]*x[1] + x[2]\n"
        "v = {2/3}*x[0]*x[1] + {2/3}*x[2]\nw = x[3]\nresult y = u, v, w\n", 3),
    "number": ("u = x[0]*x[1]\nv = (x[0] + 2)*x[1]\n"
        "w = 7 + x[1]*(x[0] + 2) - 2*x[1]\nresult y = u, v, w\n", 4),
}  # fmt: skip


@pytest.mark.parametrize(("text", "most"), PLANTED.values(), ids=PLANTED)
def test_planted_identities_are_found(text, most):
    assert count(resubstitute(of_text(text))).total <= most


@pytest.mark.parametrize(
    "factor", ["{1000000000001/1000000000000}", "{999999999999/1000000000000}"]
)
def test_what_is_nearly_equal_stays(factor):
    program = of_text(
        f"u = x[1] + x[2]\nv = {factor}*x[0]*x[1] + x[0]*x[2]\nw = x[3]\nresult y = u, v, w\n"
    )
    assert resubstitute(program) is program


def test_nothing_comes_to_depend_on_a_division():
    """v equals x0 u wherever x2 is not zero, but is defined at zero too."""
    program = of_text(
        "u = (x[0] + x[1])*x[2]/x[2]\nv = x[0]*x[0] + x[0]*x[1]\n"
        "w = x[2]*x[3]\nresult y = u, v, w\n"
    )
    made = resubstitute(program)
    reached = [made.outputs[0].values[1]]
    for value in reached:
        reached += made.instructions[value].operands
    assert "div" not in {made.instructions[value].operation.kind for value in reached}


def test_what_cancels_is_not_computed_from_what_is_large():
    """Computing v as w - u, which are 1e4 times as large, would lose four digits."""
    program = of_text(
        "u = 10000*x[0]\nv = x[1]*x[2]*x[3]\nw = 10000*x[0] + x[1]*x[2]*x[3]\nresult y = u, v, w\n"
    )
    made = resubstitute(program)
    v = made.instructions[made.outputs[0].values[1]]
    assert v.operation.kind == "mul"


def test_names_stay_with_their_values():
    made = resubstitute(
        of_text("a = x[0]*x[1] + x[0]*x[2]\nb = x[1] + x[2]\nc = x[0]*x[3]\nresult y = a, b, c\n")
    )
    assert {each.name for each in made.instructions} >= {"a", "b", "c"}


def test_of_a_program_larger_than_the_window_values_nearby_are_found(monkeypatch):
    text, most = PLANTED["product"]
    lines = [
        f"a{k} = x[3]*x[4]\n" if not k else f"a{k} = (a{k - 1} + x[{k % 4}])*x[{k % 5}]\n"
        for k in range(20)
    ]
    program = of_text("".join(lines) + text.replace("w = x[3]", "w = a19"))
    monkeypatch.setattr(equal_values, "_REACH", 4)
    monkeypatch.setattr(equal_values, "_PAIRS_AT_ONCE", 8)
    assert count(resubstitute(program)).total == most + 39
