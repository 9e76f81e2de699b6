"""Differentiation of values: every operation against complex steps, and rotations as wholes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder, ValueNumberingBuilder
from dynagen.ir.cost import count
from dynagen.ir.differentiation import append_adjoints, append_tangents
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Operation, Output
from dynagen.optimizer.passes.manager import run_passes

SIZE = 3
UNARY = [
    Operation.NEGATE,
    Operation.SINE,
    Operation.COSINE,
    Operation.HYPERBOLIC_TANGENT,
    Operation.EXPONENTIAL,
]
BINARY = [Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY]


@st.composite
def recorded(draw):
    """Return a builder with some arithmetic on x, and positions of results."""
    builder = Builder("random", [argument("x"), argument("v"), argument("w")])
    values = [builder.add_element("x", place) for place in range(SIZE)]
    values += [builder.add_constant(number) for number in (0, 1, 2)]
    for _ in range(draw(st.integers(3, 20))):
        kind = draw(st.sampled_from(["unary", "binary", "rotation", "safe"]))
        left, right = (draw(st.sampled_from(values)) for _ in range(2))
        if kind == "unary":
            values.append(builder.emit(draw(st.sampled_from(UNARY)), left))
        elif kind == "binary":
            values.append(builder.emit(draw(st.sampled_from(BINARY)), left, right))
        elif kind == "rotation":
            values += rotate(builder, draw(st.sampled_from(values)), left, right)
        else:  # sqrt(1 + left^2), and right divided by it
            square = builder.emit(Operation.MULTIPLY, left, left)
            root = builder.emit(
                Operation.SQRT, builder.emit(Operation.ADD, builder.add_constant(1), square)
            )
            values += [root, builder.emit(Operation.DIVIDE, right, root)]
    return builder, draw(st.lists(st.sampled_from(values), min_size=SIZE, max_size=SIZE))


def argument(name, size=SIZE):
    return Argument(name, (size,), ("1",) * size, "numbers")


def rotate(builder, angle, x, y):
    """Append both components of a vector after a rotation."""
    sine, cosine = builder.emit(Operation.SINE, angle), builder.emit(Operation.COSINE, angle)
    products = {
        (name, place): builder.emit(Operation.MULTIPLY, factor, value)
        for name, factor in (("s", sine), ("c", cosine))
        for place, value in enumerate((x, y))
    }
    return [
        builder.emit(Operation.ADD, products["c", 0], products["s", 1]),
        builder.emit(Operation.SUBTRACT, products["c", 1], products["s", 0]),
    ]


def bounded(values):
    """Keep cases whose numbers neither overflow nor grow so that rounding hides errors."""
    return np.all(np.isfinite(values)) and np.abs(values).max() < 1e6


@given(recorded(), st.integers(0, 2**32 - 1))
def test_both_modes_agree_with_complex_steps(made, seed):
    builder, results = made
    rng = np.random.default_rng(seed)
    x, v, w = rng.uniform(-1.5, 1.5, (3, SIZE))
    elements = [builder.add_element("x", place) for place in range(SIZE)]
    changes = {each: builder.add_element("v", place) for place, each in enumerate(elements)}
    weights = [builder.add_element("w", place) for place in range(SIZE)]
    tangents = append_tangents(builder, results, changes)
    adjoints = append_adjoints(builder, zip(results, weights, strict=True), elements)
    program = builder.finish(
        [
            Output(argument("y"), tuple(results)),
            Output(argument("dy"), tuple(tangents)),
            Output(argument("x_bar"), tuple(adjoints)),
        ]
    )
    with np.errstate(all="ignore"):
        computed = evaluate(program, {"x": x, "v": v, "w": w})
        stepped = evaluate(program, {"x": x + 1e-30j * v, "v": v, "w": w})["y"]
        gradient = [
            sum(
                weight * np.imag(value)
                for weight, value in zip(
                    w, evaluate(program, {"x": x + 1e-30j * unit, "v": v, "w": w})["y"], strict=True
                )
            )
            / 1e-30
            for unit in np.eye(SIZE)
        ]
    expected = np.imag(stepped) / 1e-30
    if not (bounded(computed["y"]) and bounded(expected) and bounded(gradient)):
        return
    scale = 1 + np.abs(computed["y"]).max() + np.abs(expected).max() + np.abs(gradient).max()
    np.testing.assert_allclose(computed["dy"], expected, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(computed["x_bar"], gradient, rtol=0, atol=1e-9 * scale)
    # By definition both are parts of one product, w^T J v.
    np.testing.assert_allclose(
        np.dot(w, computed["dy"]), np.dot(computed["x_bar"], v), rtol=0, atol=1e-9 * scale
    )


def test_the_adjoint_of_an_angle_costs_one_product_for_each_component():
    """Without pairs of components it would cost four, and two for the angle."""
    builder = ValueNumberingBuilder("rotation", [argument("x"), argument("w")])
    x, y, angle = (builder.add_element("x", place) for place in range(3))
    results = rotate(builder, angle, x, y)
    weights = [builder.add_element("w", place) for place in range(2)]
    (adjoint,) = append_adjoints(builder, zip(results, weights, strict=True), [angle])
    program, _ = run_passes(builder.finish([Output(argument("a", 1), (adjoint,))]))
    # Four products and two sums for the components, two products and a difference for the adjoint.
    assert (count(program).mul, count(program).add) == (6, 3)


def test_fixed_values_count_as_independent():
    builder = Builder("product", [argument("x"), argument("w")])
    x = builder.add_element("x", 0)
    square = builder.emit(Operation.MULTIPLY, x, x)
    product = builder.emit(Operation.MULTIPLY, square, x)
    one = builder.add_constant(1)
    tangents = append_tangents(builder, [product], {x: one}, {square})
    adjoints = append_adjoints(builder, [(product, one)], [x], {square})
    program = builder.finish([Output(argument("d", 2), (*tangents, *adjoints))])
    assert evaluate(program, {"x": [3.0], "w": [0.0]})["d"] == [9.0, 9.0]


def test_a_computed_value_counts_as_a_variable():
    builder = Builder("product", [argument("x"), argument("w")])
    x = builder.add_element("x", 0)
    square = builder.emit(Operation.MULTIPLY, x, x)
    product = builder.emit(Operation.MULTIPLY, square, builder.emit(Operation.SINE, square))
    one = builder.add_constant(1)
    tangents = append_tangents(builder, [product], {square: one})
    adjoints = append_adjoints(builder, [(product, one)], [square])
    program = builder.finish([Output(argument("d", 2), (*tangents, *adjoints))])
    expected = np.sin(4.0) + 4.0 * np.cos(4.0)
    np.testing.assert_allclose(evaluate(program, {"x": [2.0], "w": [0.0]})["d"], expected)


def test_what_no_result_depends_on_is_zero_and_costs_nothing():
    builder = Builder("constant", [argument("x")])
    builder.emit(Operation.SINE, builder.add_element("x", 1))
    two = builder.add_constant(2)
    (adjoint,) = append_adjoints(builder, [(two, two)], [builder.add_element("x", 0)])
    assert builder[adjoint].payload == 0


def test_a_minimum_has_no_derivative():
    builder = Builder("least", [argument("x")])
    x, y = (builder.add_element("x", place) for place in range(2))
    least = builder.emit(Operation.MINIMUM, x, y)
    with pytest.raises(InvalidProgramError, match="no rule to differentiate the operation min"):
        append_tangents(builder, [least], {x: builder.add_constant(1)})
