"""Hoisting: `prepare` and the kernels together compute what the kernels computed before."""

from collections import Counter
from dataclasses import replace

import numpy as np

from dynagen.ir.cost import count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Element, Instruction, Operation
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import ONE
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.optimizer.passes.hoisting import hoist_parameters
from tests.support.program_parser import parse_program

HEAD = """program {name}
input q[2] "positions" "rad"
input params[2] "run-time parameters" "kg" "m"
output {out}[1] "result" "N m"
section "one"
"""
FIRST = (
    HEAD.format(name="first", out="x")
    + "  a = params[0]*params[1]\n  b = 2*a + q[0]*a\nresult x = b\n"
)
SECOND = (
    HEAD.format(name="second", out="y")
    + "  a = params[0]*params[1]\n  c = q[1]*(a + 3) + params[1]\nresult y = c\n"
)


PARAMS = Argument("params", (2,), ("kg", "m"), "run-time parameters", ("m", "a"))
NUMBERS = [ParametricNumber(Parameter(name, ONE)) for name in PARAMS.columns]


def with_numbers(program):
    """Return the program with parametric numbers in place of elements of `params`."""
    return replace(
        program,
        instructions=tuple(
            Instruction(Operation.CONSTANT, (), NUMBERS[each.payload.index], None, each.section)
            if isinstance(each.payload, Element) and each.payload.argument == PARAMS.name
            else each
            for each in program.instructions
        ),
    )


def hoisted(*texts):
    programs = [parse_program(text) for text in texts]
    return programs, *hoist_parameters(list(map(with_numbers, programs)), PARAMS)


def test_products_of_parameters_are_computed_once_for_all_kernels():
    _, (first, second), prepare = hoisted(FIRST, SECOND)
    assert (
        count(prepare).total == 3 + 6
    )  # a, 2*a, a + 3, and the status of these and both parameters
    assert count(first).total == 2
    assert count(second).total == 2
    assert [argument.name for argument in prepare.arguments] == ["values", "params", "status"]
    assert first.inputs[1] == second.inputs[1] == prepare.outputs[0].argument
    validate(first), validate(second), validate(prepare)


def test_results_stay_to_the_last_bit():
    programs, kernels, prepare = hoisted(FIRST, SECOND)
    q, values = [0.3, -1.7], [2.5, 0.43]
    params = evaluate(prepare, {"values": values})["params"]
    assert params[:2] == values
    for before, after in zip(programs, kernels, strict=True):
        assert evaluate(after, {"q": q, "params": params}) == evaluate(
            before, {"q": q, "params": values}
        )


def test_a_result_that_depends_on_parameters_alone_is_passed_through():
    _, (kernel,), prepare = hoisted(
        HEAD.format(name="mass", out="m") + "  a = params[0]*params[1]\nresult m = a\n"
    )
    assert count(kernel).total == 0
    assert count(prepare).total == 1 + 4
    assert "result m = params[2]" in print_program(kernel)


def test_the_status_tells_whether_everything_that_is_prepared_is_a_finite_number():
    *_, prepare = hoisted(
        HEAD.format(name="mass", out="m") + "  a = params[0]/params[1]\nresult m = a\n"
    )
    with np.errstate(all="ignore"):
        values = np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 0.0], [np.nan, 1.0], [1.0, -np.inf]]).T
        (status,) = evaluate(prepare, {"values": values})["status"]
    assert (status > 0).tolist() == [True, False, False, False, False]


def test_constants_are_left_where_they_are():
    _, (kernel,), prepare = hoisted(
        HEAD.format(name="plain", out="m") + "  a = 2*q[0] + 3\nresult m = a\n"
    )
    assert prepare.outputs[0].argument.size == 2
    assert Counter(i.operation for i in kernel.instructions)[Operation.CONSTANT] == 2
