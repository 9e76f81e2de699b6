"""Cost models, fused multiply-adds and critical paths: small programs and general laws."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.cost import (
    COST_MODELS,
    FLOPS,
    KINDS,
    CostModel,
    compute_cost,
    compute_critical_path,
    count,
    find_cost,
    find_fused_products,
)
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.optimizer.passes.folding import remove_dead_code
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs

FUSING = find_cost("fma")
MODELS = st.one_of(
    st.sampled_from(COST_MODELS),
    st.builds(
        lambda weights: CostModel(
            "random", {kind: Fraction(weight) for kind, weight in weights.items()}
        ),
        st.dictionaries(st.sampled_from((*KINDS, "fma")), st.integers(0, 20), min_size=1),
    ),
)


def program(body: str) -> Program:
    """The last line is the result."""
    return parse_program(f'program f\ninput x[8] "inputs" "m"\noutput y[1] "result" "m"\n{body}\n')


def total_of_eight(balanced: bool) -> Program:
    argument = Argument("x", (8,), ("m",) * 8, "inputs")
    builder = Builder("f", (argument,))
    values = [builder.add_element("x", index) for index in range(8)]
    while len(values) > 1:
        left, right, *others = values
        total = builder.emit(Operation.ADD, left, right)
        values = [*others, total] if balanced else [total, *others]
    return builder.finish([Output(Argument("y", (1,), ("m",), "sum"), tuple(values))])


def test_a_chain_takes_as_long_as_it_is_and_a_tree_its_logarithm():
    assert compute_critical_path(total_of_eight(balanced=False), FLOPS) == 7
    assert compute_critical_path(total_of_eight(balanced=True), FLOPS) == 3


@given(programs(), MODELS)
def test_no_chain_costs_more_than_everything(any_program, model):
    live = remove_dead_code(any_program)
    assert 0 <= compute_critical_path(live, model) <= compute_cost(live, model)[0]


@given(programs(), MODELS)
def test_the_order_of_evaluation_does_not_matter(any_program, model):
    """The latest result is ready when a machine that starts whatever can start has finished it."""
    live = remove_dead_code(any_program)
    pairs = find_fused_products(live) if model.fusing_saves else {}
    free = set(pairs.values())
    instructions = dict(enumerate(live.instructions))
    ready = {}
    while instructions:
        for position, instruction in reversed(list(instructions.items())):
            if all(operand in ready for operand in instruction.operands):
                alone = 0 if position in free else model.weigh(instruction.operation)
                takes = model.weights["fma"] if position in pairs else alone
                ready[position] = (
                    max((ready[operand] for operand in instruction.operands), default=0) + takes
                )
                del instructions[position]
    assert compute_critical_path(live, model) == max(
        ready[value] for value in live.iterate_result_values()
    )


def test_an_addition_takes_one_product_along_that_nobody_else_needs():
    assert len(find_fused_products(program("result y = x[0]*x[1] + x[2]"))) == 1
    assert len(find_fused_products(program("result y = x[0] - x[1]*x[2]"))) == 1
    assert len(find_fused_products(program("result y = x[0]*x[1] + x[2]*x[3]"))) == 1
    assert len(find_fused_products(program("p = x[0]*x[1]\nresult y = p + p*x[2]"))) == 1
    assert len(find_fused_products(program("p = x[0]*x[1]\nresult y = p + p"))) == 0
    assert len(find_fused_products(program("result y = (x[0] + x[1])*x[2]"))) == 0


@given(programs())
def test_pairs_are_products_and_additions_that_no_other_pair_has(any_program):
    live = remove_dead_code(any_program)
    pairs = find_fused_products(live)
    assert len(set(pairs.values())) == len(pairs)
    operations = count(live)
    assert len(pairs) <= min(operations.mul, operations.add)
    assert set(pairs.values()).isdisjoint(live.iterate_result_values())


def test_costs():
    example = program("result y = x[0]*x[1] + x[2]*x[3] - x[4]/x[5]")
    assert compute_cost(example, FLOPS) == (5, 5)
    assert compute_cost(example, find_cost("mul")) == (3, 5)
    assert compute_cost(example, FUSING) == (1 + 1 + 1 + 8, 5)
    assert compute_cost(example, find_cost("cortex-m4")) == (4 + 14, 5)
    assert compute_cost(example, find_cost("mul=2, add=1.5,div=3")) == (4 + 3 + 3, 5)
    assert compute_critical_path(example, FUSING) == 8 + 1
    assert compute_critical_path(example, FLOPS) == 3


def test_the_default_model_counts_what_programs_are_compared_by():
    example = program("result y = x[0]*x[1] + x[2]/x[3] - sqrt(x[4])")
    assert compute_cost(example, FLOPS)[0] == count(example).total


def test_a_name_before_weights_says_what_the_others_are():
    model = find_cost("cortex-m4,div=20")
    assert (model.name, model.weights["div"], model.weights["sqrt"]) == ("cortex-m4,div=20", 20, 14)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("flop", "unknown cost 'flop'; did you mean `flops`"),
        ("", "unknown cost ''; expected one of flops, mul,"),
        ("flops,mul", "unknown cost 'mul'"),
        ("mull=1", "unknown operation 'mull' in --cost; did you mean `mul`"),
        ("mul=-1", "below a million, found '-1'"),
        ("mul=1e99999999", "below a million"),
        ("mul=nan", "below a million"),
        ("mul=1/0", "below a million"),
        ("mul=0,add=0", "expected at least one weight above zero"),
    ],
)
def test_what_is_no_cost_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        find_cost(text)
