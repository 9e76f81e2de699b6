"""Passes that trade operations: always correct, accepted only if the cost falls."""

import pytest
from hypothesis import given

from dynagen.ir.cost import FLOPS, compute_cost, count, find_cost, find_fused_products
from dynagen.ir.evaluation import evaluate
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.passes.sums import add_doubles, order_for_fusing
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning

INPUTS = {"x": [1.5, 2.25, 0.5, 3.0, 0.75, 1.25, 4.0, 0.625]}  # sums of their products are exact


def program(result):
    return parse_program(
        f'program f\ninput x[8] "inputs" "m"\noutput y[1] "result" "m"\nresult y = {result}\n'
    )


@pytest.mark.parametrize(
    ("written", "fused"),
    [
        ("x[0]*x[1] + x[2]*x[3] + x[4]", 2),
        ("(x[0]*x[1] + x[2]*x[3]) + (x[4]*x[5] + x[6]*x[7])", 3),
        ("x[0]*x[1] - x[2] - x[3]*x[4] - x[5]", 2),
        ("x[0]*x[1] + (x[2] - x[3]) - (x[4]*x[5] - x[6]*x[7])", 3),
    ],
)
def test_sums_fuse_as_much_as_they_can(written, fused):
    after = order_for_fusing(program(written))
    assert len(find_fused_products(after)) == fused
    assert evaluate(after, INPUTS) == evaluate(program(written), INPUTS)
    assert count(after) == count(program(written))


@given(programs())
def test_fusing_keeps_meaning_and_count_and_fuses_no_less(before):
    after = order_for_fusing(before)
    assert_same_meaning(before, after)
    assert len(find_fused_products(after)) >= len(find_fused_products(before))
    assert order_for_fusing(after) == after


def test_doubles_are_added_where_that_costs_less():
    twice = program("2*x[0] + x[1]")
    assert count(add_doubles(twice)).as_dict() == count(program("(x[0] + x[0]) + x[1]")).as_dict()
    for cost, multiplications in (
        ("flops", 1),
        ("cortex-m4", 1),
        ("fma", 1),
        ("mul", 0),
        ("softfloat", 0),
    ):
        assert count(run_passes(twice, find_cost(cost))[0]).mul == multiplications


@given(programs())
def test_all_passes_together_keep_the_meaning_under_every_cost(before):
    for cost in ("fma", "softfloat"):
        model = find_cost(cost)
        after, records = run_passes(before, model)
        assert_same_meaning(before, after)
        assert run_passes(after, model)[0] == after
        assert [record.name for record in records][-3:] == ["doubling", "fusing", "sign absorption"]


@given(programs())
def test_by_default_nothing_is_traded(before):
    after, records = run_passes(before)
    assert all(
        record.before == record.after for record in records if record.name in ("doubling", "fusing")
    )
    assert compute_cost(after, FLOPS)[0] == count(after).total
