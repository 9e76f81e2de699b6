"""Bounds on rounding errors: they hold in single precision, and are not far above the errors."""

import numpy as np
import pytest

from dynagen.ir.builder import Builder
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.evaluation import evaluate_instructions as evaluate_all
from dynagen.ir.operation import Operation, make_lookup
from dynagen.ir.program import Argument, Output
from dynagen.ir.rounding import bound_rounding_errors
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact
from tests.support.program_parser import parse_program

STATES = 2000
ROUNDOFF = float(np.finfo(np.float32).eps) / 2
SINGLE = Arithmetic(lambda number: np.float32(float(number)))

# Each operand has an error of its own, because a product before it is rounded.
EXPRESSIONS = [
    "x[0]*x[0] + x[1]*x[1]",
    "x[0]*x[0] - x[1]*x[1]",
    "-(x[0]*x[1])*x[2]",
    "x[0]*x[1]/(x[1]*x[2])",
    "sqrt(x[0]*x[1])",
    "abs(x[0]*x[1] - x[2]*x[2])",
    "tanh(x[0]*x[1])*exp(-x[1]*x[2])",
    "min(x[0]*x[1], x[1]*x[0])*x[2]",
    "max(x[0]*x[1], 0.3*x[2])*x[2]",
    "sign(x[0]*x[1])*(x[2]*x[2])",
]


def bounds_and_errors(text):
    """Return bounds and errors of the last instruction in random states, in units of roundoff."""
    program = parse_program(text)
    x = np.random.default_rng(1).uniform(0.3, 2.0, (3, STATES)).astype(np.float32)
    values = evaluate_all(program, {"x": x.astype(float)})
    values = np.array([np.broadcast_to(value, STATES) for value in values])
    (place,) = program.outputs[0].values
    ((found,),) = evaluate(program, {"x": x}, SINGLE).values()
    assert found.dtype == np.float32
    return (
        bound_rounding_errors(program, values, [place])[0],
        np.abs(found - values[place]) / ROUNDOFF,
    )


def write(*lines):
    head = 'program f\ninput x[3] "lengths" "m"\noutput y[1] "result" "m"\nsection ""\n'
    return head + "".join(f"  {line}\n" for line in lines) + "result y = v\n"


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_bounds_hold_and_are_close(expression):
    bounds, errors = bounds_and_errors(write(f"v = {expression}"))
    assert np.all(errors <= 1.001 * bounds)  # of first order
    assert errors.max() > 0.2 * bounds.max()


def test_bounds_hold_for_sine_and_cosine():
    text = write("s, c = sincos(x[0]*x[1] + x[2])", "v = 2*s + c")
    bounds, errors = bounds_and_errors(text)
    assert np.all(errors <= 1.001 * bounds)
    assert errors.max() > 0.2 * bounds.max()


def test_errors_that_cancel_are_not_counted():
    # The error of e itself cancels in v; only the roundings of sum and difference remain.
    bounds, _ = bounds_and_errors(write("e = x[0]*x[0]*1000", "v = (x[1] + e) - e"))
    carried, _ = bounds_and_errors(write("e = x[0]*x[0]*1000", "v = x[1] + e"))
    assert np.all(bounds < 0.5 * carried)


def test_minimum_of_equal_values_has_the_errors_of_both():
    bounds, _ = bounds_and_errors(write("a = x[0]*x[1]", "b = x[0]*x[1]", "v = min(a, b)"))
    single, _ = bounds_and_errors(write("v = x[0]*x[1]"))
    assert np.allclose(bounds, 2 * single)


def test_a_table_adds_the_rounding_of_its_entry_alone():
    builder = Builder("f", [Argument("x", (1,), ("1",), "")])
    x = builder.add_element("x", 0)
    square = builder.emit(Operation.MULTIPLY, x, x)
    entry = builder.emit(make_lookup(Table("heights", (Exact(0), Exact(1) / 3))), square)
    program = builder.finish([Output(Argument("y", (1,), ("1",), ""), (entry,))])
    values = np.array([[1.1], [1.21], [1 / 3]])
    assert bound_rounding_errors(program, values, [entry]) == pytest.approx(1 / 3)
