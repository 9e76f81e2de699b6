"""Building, rewriting, counting and evaluating programs."""

from __future__ import annotations

from collections import Counter

import mpmath
import numpy as np
from hypothesis import given

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.cost import OperationCount, count
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.numbers.exact import Exact
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs

X = Argument("x", (3,), ("m",) * 3, "lengths")
HEADER = 'program f\ninput x[3] "lengths" "m"\noutput y[1] "result" "m"\n'


def test_constants_and_inputs_exist_once() -> None:
    builder = Builder("f", [X])
    assert builder.add_constant(1) == builder.add_constant(Exact("1.0"))
    assert builder.add_element("x", 1) == builder.add_element("x", 1)
    assert builder.add_element("x", 1) != builder.add_element("x", 2)
    root = Exact(2).sqrt()
    assert builder.add_constant(root) == builder.add_constant(2 / root)


def test_operations_are_not_shared() -> None:
    builder = Builder("f", [X])
    x = builder.add_element("x", 0)
    assert builder.emit(Operation.NEGATE, x) != builder.emit(Operation.NEGATE, x)


def test_only_what_is_computed_and_nameless_can_be_named() -> None:
    builder = Builder("f", [X])
    value = builder.emit(Operation.NEGATE, builder.add_element("x", 0))
    assert builder.can_name(value)
    builder.give_name(value, "a")
    assert builder[value].name == "a"
    assert not builder.can_name(value)
    assert not builder.can_name(builder.add_element("x", 0))
    assert not builder.can_name(builder.add_constant(1))


def test_a_constant_is_known_and_nothing_else() -> None:
    builder = Builder("f", [X])
    one = builder.add_constant(1)
    assert builder.get_constant(one) == 1
    assert builder.get_constant(builder.add_element("x", 0)) is None
    assert builder.get_constant(builder.emit(Operation.NEGATE, one)) is None


@given(programs())
def test_a_rewrite_that_changes_nothing_keeps_the_program(program: Program) -> None:
    same = rewrite(
        program,
        lambda builder, instruction, operands: builder.emit(instruction.operation, *operands),
    )
    assert same.arguments == program.arguments
    assert [instruction.name for instruction in same.instructions if instruction.operands] == [
        instruction.name for instruction in program.instructions if instruction.operands
    ]
    assert [same.sections[instruction.section] for instruction in same.instructions] == [
        program.sections[instruction.section] for instruction in program.instructions
    ]
    assert count(same) == count(program)


def test_a_rewritten_value_hands_on_its_name_where_there_is_none() -> None:
    program = parse_program(f"{HEADER}a = x[0]*x[1]\nb = a\nresult y = b")
    (product,) = (i for i in rewrite(program, lambda _, i, operands: operands[0]).instructions[:1])
    assert product.name is None  # an input takes no name
    doubled = rewrite(
        program, lambda b, i, operands: b.emit(Operation.NEGATE, b.emit(i.operation, *operands))
    )
    assert [i.name for i in doubled.instructions if i.operation is Operation.NEGATE] == ["a", "b"]


def test_every_operation_counts_where_it_belongs() -> None:
    program = parse_program(
        f"{HEADER}a = x[0]*x[1] + x[2]*x[2] - x[0]/x[1]\nb = sqrt(-a)\n"
        "s, c = sincos(a)\n_, d = sincos(b)\ne = d\nresult y = e"
    )
    assert count(program) == OperationCount(mul=2, add=2, div=1, sqrt=1, sincos=2, neg=1)
    assert count(program).total == 5
    assert str(count(program)) == "2 mul, 2 add, 1 div, 2 sincos, 1 sqrt"
    assert count(program).as_dict() == {
        "mul": 2,
        "add": 2,
        "div": 1,
        "sqrt": 1,
        "sincos": 2,
        "neg": 1,
        "other": 0,
    }


@given(programs())
def test_the_mark_counts_each_binary_operation_once(program: Program) -> None:
    binary = Counter(len(instruction.operands) for instruction in program.instructions)[2]
    assert count(program).total == binary


def test_arrays_are_many_states_at_once() -> None:
    program = parse_program(
        f"{HEADER}s, c = sincos(x[0])\na = 2*s*c + sqrt(x[1])/x[2]\nresult y = a"
    )
    x = np.array([[0.1, 0.2, 0.3, 0.4], [1.0, 4.0, 9.0, 16.0], [1.0, 2.0, 3.0, 4.0]])
    (together,) = evaluate(program, {"x": x})["y"]
    np.testing.assert_allclose(together, np.sin(2 * x[0]) + 1, rtol=1e-15)


def test_the_arithmetic_is_the_caller_s() -> None:
    program = parse_program(
        f"{HEADER}s, c = sincos(x[0])\na = sqrt(s*s + c*c + 1) - {{1/3}}/x[1]\nresult y = a"
    )
    digits50 = Arithmetic(
        lambda number: (
            mpmath.mpf(number.to_fraction().numerator) / number.to_fraction().denominator
        ),
        {Operation.SINE: mpmath.sin, Operation.COSINE: mpmath.cos, Operation.SQRT: mpmath.sqrt},
    )
    with mpmath.workdps(50):
        (value,) = evaluate(program, {"x": [mpmath.mpf("0.3"), mpmath.mpf(7), None]}, digits50)["y"]
        assert abs(value - (mpmath.sqrt(2) - mpmath.mpf(1) / 21)) < mpmath.mpf(10) ** -48


def test_results_may_repeat_and_come_in_any_order() -> None:
    builder = Builder("f", [X])
    x, y = builder.add_element("x", 0), builder.emit(Operation.NEGATE, builder.add_element("x", 1))
    two = builder.add_constant(2)
    program = builder.finish(
        [
            Output(Argument("a", (2,), ("m", "m"), "first"), (y, x)),
            Output(Argument("b", (3,), ("m",) * 3, "second"), (x, two, y)),
        ]
    )
    assert evaluate(program, {"x": [5.0, 7.0, 0.0]}) == {"a": [-7.0, 5.0], "b": [5.0, 2.0, -7.0]}
