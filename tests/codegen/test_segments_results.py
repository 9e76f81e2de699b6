"""Emitted code computes what the program means, to the last bit, in every language."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Kernel
from dynagen.ir.builder import Builder
from dynagen.ir.cost import count
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import FUNCTIONS, Argument, Operation, Output
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.optimizer.passes.folding import remove_dead_code
from tests.support.c_operations import count_operations
from tests.support.packages import EVERYTHING, GRAVITY, kernel, loaded, package, render, texts

SINE_AND_COSINE = """
program sine_and_cosine
input x[1] "angle" "rad"
output y[2] "sine and cosine" ""
section ""
  s, c = sincos(x[0])
result y = s, c
"""


def arithmetic_of(language):
    """Double precision with the language's sine and cosine; libraries differ in the last bit."""
    both = loaded(language, package(kernel(SINE_AND_COSINE)))["sine_and_cosine"]

    def function(index):
        return lambda angles: both(angles[:, None])[0][:, index]

    return Arithmetic(float, {Operation.SINE: function(0), Operation.COSINE: function(1)})


def expected(program, inputs, language):
    """Return results of a program, in the outputs' shapes, for inputs of shape (count, size)."""
    count = len(inputs[0])
    columns = {
        argument.name: value.reshape(count, -1).T
        for argument, value in zip(program.inputs, inputs, strict=True)
    }
    with np.errstate(all="ignore"):
        results = evaluate(program, columns, arithmetic_of(language))
    return [
        np.stack(
            [np.broadcast_to(value, count) for value in results[output.argument.name]], -1
        ).reshape(count, *output.argument.shape)
        for output in program.outputs
    ]


def assert_same_bits(actual, wanted):
    assert actual.shape == wanted.shape
    np.testing.assert_array_equal(actual, wanted)
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(np.signbit(actual[finite]), np.signbit(wanted[finite]))


def test_every_operation_to_the_last_bit(language):
    made = package()
    program = made.kernels[0].program
    used = {instruction.operation for instruction in program.instructions}
    assert used == set(Operation) - {Operation.COPY, *FUNCTIONS} | {
        Operation.SQRT
    }  # the others: test_functions_in_code
    inputs = list(np.random.default_rng(1).uniform(-7.0, 7.0, (3, 500, 3)))
    kernel = loaded(language, made)["everything"]
    for actual, wanted in zip(kernel(*inputs), expected(program, inputs, language), strict=True):
        assert_same_bits(actual, wanted)


def test_a_copy_is_transparent(language):
    builder = Builder("copies", [Argument("q", (2,), ("rad",) * 2, "positions")])
    copy = builder.emit(Operation.COPY, builder.add_element("q", 1))
    twice = builder.emit(Operation.ADD, copy, copy)
    program = builder.finish([Output(Argument("y", (2,), ("m",) * 2, "result"), (copy, twice))])
    (result,) = loaded(language, package(Kernel("y = f(q)", program, count(program))))["copies"](
        [3.0, 0.1]
    )
    assert result.tolist() == [0.1, 0.2]


def test_several_kernels_live_in_one_package(language):
    kernels = loaded(language, package(kernel(GRAVITY), kernel(EVERYTHING)))
    assert list(kernels) == ["gravity_forces", "everything"]
    (forces,) = kernels["gravity_forces"]([[0.0, 1.0, 2.0], [math.pi, 2.0, 3.0]])
    assert forces.tolist() == [[9.81, 0.0], [-9.81, 0.0]]


def test_not_a_number_comes_out_as_it_went_in(language):
    kernel = loaded(language, package())["everything"]
    tau, jacobian = kernel([math.nan, math.inf, 1.0], [0.0] * 3, [0.0] * 3)
    assert np.isnan(tau[0])
    assert np.isnan(jacobian[0, 0])


def test_matrices_have_their_row_major_meaning(language):
    text = """
    program product
    input a[2, 3] "matrix" "m"
    output y[3, 2] "transposed and doubled" "m"
    section ""
    """
    names = [f"v{row}{column}" for column in range(3) for row in range(2)]
    lines = [f"v{row}{column} = 2*a[{3 * row + column}]" for column in range(3) for row in range(2)]
    text = "\n".join([text.strip(), *lines, f"result y = {', '.join(names)}"])
    function = loaded(language, package(kernel(text)))["product"]
    a = np.arange(12.0).reshape(2, 2, 3)
    (y,) = function(a)
    np.testing.assert_array_equal(y, 2 * a.transpose(0, 2, 1))
    (single,) = function(a[1])
    np.testing.assert_array_equal(single, 2 * a[1].T)


NUMBERS = [Exact(value) for value in ("-3", "0.1", "2", "-0.5", "1e-7")]


@st.composite
def programs(draw, name):
    """Return nested arithmetic on three inputs, without dead code or operations on constants."""
    builder = Builder(name, [Argument("q", (3,), ("m",) * 3, "numbers")])
    variables = [builder.add_element("q", index) for index in range(3)]
    constants = [builder.add_constant(number) for number in NUMBERS]
    binary = [Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY, Operation.DIVIDE]
    for _ in range(draw(st.integers(1, 40))):
        operation = draw(st.sampled_from([*binary, *binary, Operation.NEGATE, Operation.SQRT]))
        recent = variables[-6:]
        operands = [draw(st.sampled_from(recent))]
        if operation.operand_count == 2:
            operands.insert(
                draw(st.integers(0, 1)), draw(st.sampled_from([*variables, *constants]))
            )
        variables.append(builder.emit(operation, *operands))
    results = (variables[-1], draw(st.sampled_from([*variables, *constants])), variables[-2])
    return remove_dead_code(
        builder.finish([Output(Argument("y", (3,), ("m",) * 3, "results"), results)])
    )


def packages():
    """Return a strategy for packages of five random programs, which compile in one go."""
    each = st.tuples(*(programs(f"random{number}") for number in range(5)))
    return each.map(
        lambda made: package(
            *(Kernel("y = f(q)", program, count(program)) for program in made),
            vectors={},
            single_file=True,
        )
    )


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
@settings(max_examples=6)
@given(made=packages())
def test_random_programs_to_the_last_bit(language, real, made):
    made = replace(made, real=real)
    inputs = np.random.default_rng(2).uniform(-2.0, 2.0, (20, 3)).astype(real.dtype)
    arithmetic = Arithmetic(real.round)
    compiled = loaded(language, made)
    for each in made.kernels:
        with np.errstate(all="ignore"):
            results = evaluate(each.program, {"q": inputs.T}, arithmetic)["y"]
        wanted = np.stack([np.broadcast_to(value, 20) for value in results], -1)
        assert wanted.dtype == real.dtype
        (actual,) = compiled[each.program.name](inputs)
        assert actual.dtype == real.dtype
        assert_same_bits(actual, wanted)


def test_a_c_parser_counts_the_operations_of_the_package():
    made = package(kernel(EVERYTHING), kernel(GRAVITY))
    sources = texts(render("c", made))
    for emitted in made.kernels:
        text = sources[find_language("c").kernel_path(made, emitted)]
        assert count_operations(text, made.prefix) == emitted.operations


@settings(max_examples=20)
@given(made=packages())
def test_a_c_parser_counts_the_operations_of_random_programs(made):
    sources = texts(render("c", replace(made, single_file=False)))
    for each in made.kernels:
        emitted = sources[f"src/puma560_{each.program.name}.c"]
        assert count_operations(emitted, "puma560") == each.operations
