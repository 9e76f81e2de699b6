"""Numbers that depend on run-time parameters are constants, valid for all values."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.cost import FLOPS, count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.optimizer.passes.hoisting import hoist_parameters
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.search.step import search_factors
from tests.support.random_programs import programs, small_exacts
from tests.support.same_meaning import MPMATH

PARAMS = Argument("params", (2,), ("kg", "m"), "run-time parameters", ("m", "a"))
M, A = (ParametricNumber(Parameter(name, Exact(value))) for name, value in (("m", 2), ("a", 0)))
NUMBERS = st.one_of(
    small_exacts(),
    st.sampled_from([M, A, -M, M + A, 2 * M * A, A * A - M, M * A - Exact(2).sqrt()]),
)


def with_values(program: Program, values: dict[str, Exact]) -> Program:
    """Return the program with numbers in place of parameters, without their input."""
    instructions = tuple(
        each._replace(payload=each.payload.substitute(values))
        if isinstance(each.payload, ParametricNumber)
        else each
        for each in program.instructions
    )
    return replace(program, instructions=instructions, inputs=program.inputs[:-1])


def inputs_of(program: Program) -> dict[str, list[mpmath.mpf]]:
    sizes = [
        (argument.name, argument.size) for argument in program.inputs if argument.name != "params"
    ]
    return {
        name: [mpmath.sqrt(1 + index + 10 * number) / 2 for index in range(size)]
        for number, (name, size) in enumerate(sizes)
    }


def results(program: Program, **params: list[mpmath.mpf]) -> list[mpmath.mpf]:
    return [
        value
        for each in evaluate(program, inputs_of(program) | params, MPMATH).values()
        for value in each
    ]


def searched(program: Program, budget: int) -> Program:
    """Return the program after the passes, and after a search if there is a budget."""
    optimised = run_passes(program)
    return (search_factors(optimised, FLOPS, budget) if budget else optimised)[0]


@settings(max_examples=60)
@given(
    programs(12, NUMBERS, (PARAMS,)),
    st.sampled_from([0, 12]),
    st.fractions(0, 3, max_denominator=9),
)
def test_a_program_means_the_same_for_all_values(program, budget, length):
    """Programs with divisions and square roots are left out: these may be undefined."""
    assume(all(each.operation is not Operation.DIVIDE for each in program.instructions))
    assume(all(each.operation is not Operation.SQRT for each in program.instructions))
    made = searched(program, budget)
    (kernel,), prepare = hoist_parameters([made], PARAMS)
    validate(kernel), validate(prepare)
    values = {"m": Exact("0.7"), "a": Exact(length)}
    assert not any(
        each.operation is Operation.DIVIDE for each in prepare.instructions[:-1]
    )  # the last is the status
    with mpmath.workdps(60):
        numbers = [
            mpmath.mpf(each.to_fraction().numerator) / each.to_fraction().denominator
            for each in values.values()
        ]
        params = evaluate(prepare, {"values": numbers}, MPMATH)["params"]
        expected, got = results(with_values(program, values)), results(kernel, params=params)
        assume(all(abs(value) < 1e4 for value in expected))
        for x, y in zip(expected, got, strict=True):
            assert abs(x - y) <= mpmath.mpf(10) ** -15 * max(1, abs(x))


def recorded(*numbers: Exact) -> Builder:
    builder = Builder("f", [Argument("q", (3,), ("",) * 3, "positions"), PARAMS])
    for number in numbers:
        builder.add_constant(number)
    return builder


def program_of(builder: Builder, *values: int) -> Program:
    return builder.finish(
        [Output(Argument("y", (len(values),), ("",) * len(values), "results"), values)]
    )


def scaled(builder: Builder, number: Exact, element: int) -> int:
    return builder.emit(
        Operation.MULTIPLY, builder.add_constant(number), builder.add_element("q", element)
    )


def test_products_and_sums_of_parameters_cost_a_call_nothing():
    builder = recorded()
    twice = builder.emit(Operation.MULTIPLY, builder.add_constant(A), scaled(builder, M, 0))
    made, _ = run_passes(
        program_of(builder, builder.emit(Operation.ADD, twice, scaled(builder, M + A, 0)))
    )
    assert count(made).total == 1  # (m*a + m + a) q


def test_the_search_finds_common_parts_of_sums_up_to_a_parameter():
    """(m q1 + a q2) q0 and m^2 q1 + m a q2 share a divisor; neither number divides the other."""
    builder = recorded()
    q = [builder.add_element("q", index) for index in range(3)]
    first = builder.emit(
        Operation.ADD,
        builder.emit(Operation.MULTIPLY, scaled(builder, M, 1), q[0]),
        builder.emit(Operation.MULTIPLY, scaled(builder, A, 2), q[0]),
    )
    second = builder.emit(Operation.ADD, scaled(builder, M * M, 1), scaled(builder, M * A, 2))
    made = searched(program_of(builder, first, second), 20)
    assert count(made).total == 5  # k = m q1 + a q2, k q0, m k


def test_a_number_that_may_vanish_is_no_divisor_of_others():
    """Extracting a common sum of m q1 + a q2 and a q1 + q2 would divide by m or a."""
    builder = recorded()
    sums = [
        builder.emit(Operation.ADD, scaled(builder, x, 1), scaled(builder, y, 2))
        for x, y in ((M, A), (A, ONE))
    ]
    made = searched(program_of(builder, *sums), 20)
    (_,), prepare = hoist_parameters([made], PARAMS)
    assert [each.operation for each in prepare.instructions].count(
        Operation.DIVIDE
    ) == 1  # of the status


def test_signs_and_sizes_of_what_comes_at_run_time_are_not_known():
    builder = recorded()
    operations = (
        Operation.ABSOLUTE,
        Operation.SIGN,
        Operation.EXPONENTIAL,
        Operation.HYPERBOLIC_TANGENT,
    )
    values = [builder.emit(operation, builder.add_constant(A)) for operation in operations]
    values.append(builder.emit(Operation.MINIMUM, builder.add_constant(A), builder.add_constant(M)))
    made, _ = run_passes(program_of(builder, *values))
    assert count(made).other == 5
    (kernel,), prepare = hoist_parameters([made], PARAMS)
    assert count(kernel).other == 0
    assert count(prepare).other >= 5


def test_what_is_not_prepared_is_not_written():
    builder = recorded()
    with pytest.raises(
        InvalidProgramError, match="m depends on run-time parameters and is not prepared"
    ):
        print_program(program_of(builder, scaled(builder, M, 0)))
