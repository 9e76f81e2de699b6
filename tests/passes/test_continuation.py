"""Continuing a program: what is known, and what only is a number elsewhere, give the same bits."""

import numpy as np
import pytest

from dynagen.ir.builder import Builder
from dynagen.ir.count import count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.numbers.exact import Exact
from dynagen.passes.continuation import ContinuingBuilder
from dynagen.passes.dead_code import remove_dead_code
from dynagen.real import DOUBLE

SUBTRACT, MULTIPLY, DIVIDE = Operation.SUBTRACT, Operation.MULTIPLY, Operation.DIVIDE
STATES = np.array([0.0, -0.0, 1.0, -1.0, 0.1, 3.3, -7e-5, 1e8])
NUMBERS = ("0", "1", "-1", "0.7", "-3")


def argument(name: str) -> Argument:
    return Argument(name, (1,), ("1",), name)


def continued(left: Exact, right: Exact, computed: tuple[str, ...]) -> Program:
    """Some of what a solution does, with numbers that are written, or elements of inputs that happen to be them."""
    inputs = tuple(argument(name) for name in ("x", "left", "right"))
    start = Builder("solution", inputs)
    x = start.element("x", 0)
    given = {"left": left, "right": right}
    values = [start.element(name, 0) if name in computed else start.constant(number) for name, number in given.items()]
    builder = ContinuingBuilder(start.finish(()), inputs, DOUBLE, dict(zip(values, given.values(), strict=True)))
    one, other = values
    opposite = builder.emit(Operation.NEGATE, x)
    scaled = builder.emit(MULTIPLY, builder.emit(MULTIPLY, one, opposite), builder.emit(SUBTRACT, one, other))
    differences = [builder.emit(SUBTRACT, *pair) for pair in ((x, one), (one, x), (opposite, one), (x, scaled), (one, scaled))]
    ratio = [builder.emit(DIVIDE, builder.constant(1), builder.emit(MULTIPLY, one, other))] if left and right else []
    results = (scaled, *differences, *(builder.emit(MULTIPLY, value, x) for value in ratio))
    outputs = [Output(argument(f"y{place}"), (value,)) for place, value in enumerate(results)]
    return remove_dead_code(builder.finish(outputs))


def bits(values) -> bytes:
    return np.broadcast_to(values, STATES.shape).tobytes()


@pytest.mark.parametrize("left", NUMBERS)
@pytest.mark.parametrize("right", NUMBERS)
def test_numbers_that_are_computed_give_the_bits_of_written_ones(left, right):
    numbers = Exact(left), Exact(right)
    plain = continued(*numbers, computed=())
    for computed in (("left",), ("right",), ("left", "right")):
        program = continued(*numbers, computed)
        assert count(program).total >= count(plain).total
        for zero in (0.0, -0.0):
            inputs = {"x": [STATES], "left": [float(numbers[0]) or zero], "right": [float(numbers[1]) or zero]}
            expected, found = evaluate(plain, inputs), evaluate(program, inputs)
            for name, (values,) in expected.items():
                if np.ndim(values) or values:  # a number that is zero has no sign to keep
                    assert bits(values) == bits(found[name][0]), name


def test_what_only_numbers_enter_is_rounded_as_the_target_rounds_it():
    program = continued(Exact("0.7"), Exact("-3"), computed=())
    (value,) = evaluate(program, {"x": [1.0], "left": [0.7], "right": [-3.0]})["y6"]
    assert value == 1.0 / (0.7 * -3.0)
    assert count(program).div == 0
