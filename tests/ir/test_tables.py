"""Tables of constants: cells, ends and NaN in every arithmetic, in passes and in pickles."""

from __future__ import annotations

import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder, ValueNumberingBuilder
from dynagen.ir.cost import count
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.fingerprints import FIELD, compute_fingerprints
from dynagen.ir.operation import Operation, make_lookup
from dynagen.ir.program import Argument, Output, Program
from dynagen.ir.tables import Table
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact
from dynagen.optimizer.passes.manager import run_passes

TABLE = Table("heights", (Exact("0.5"), Exact("-2"), Exact(1) / 3))
X = Argument("x", (1,), ("1",), "")
CELLS = {-7.5: 0, 0.0: 0, 0.999: 0, 1.0: 1, 1.5: 1, 2.0: 2, 2.5: 2, 1e300: 2}


def look_up(*tables: Table) -> Program:
    """The program that looks up x in several tables."""
    builder = Builder("f", [X])
    x = builder.add_element("x", 0)
    values = tuple(builder.emit(make_lookup(table), x) for table in tables)
    units = ("1",) * len(values)
    return builder.finish([Output(Argument("y", (len(values),), units, ""), values)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numpy_looks_up_the_integer_part_in_the_type_of_the_numbers(dtype):
    numbers = np.array([*CELLS, np.inf, -np.inf, np.nan], np.float64)
    with np.errstate(over="ignore"):
        numbers = numbers.astype(dtype)
    found = make_lookup(TABLE).compute(numbers)
    expected = [float(TABLE.entries[cell]) for cell in (*CELLS.values(), 2, 0)]
    assert found.dtype == dtype
    assert found == pytest.approx([*expected, np.nan], nan_ok=True, rel=1e-7)


@pytest.mark.parametrize(("number", "cell"), CELLS.items())
def test_exact_and_precise_numbers_have_the_same_cells(number, cell):
    assert make_lookup(TABLE).fold(Exact(number)) == TABLE.entries[cell]
    precise = Arithmetic(lambda entry: mpmath.mpf(float(entry)), locate=mpmath.mpf)
    results = evaluate(look_up(TABLE), {"x": [mpmath.mpf(number)]}, precise)
    assert results == {"y": [mpmath.mpf(float(TABLE.entries[cell]))]}


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.floats(-3, 9))
def test_cells_are_those_of_the_definition(entries, x):
    table = Table("f", tuple(map(Exact, entries)))
    expected = entries[min(max(int(np.floor(x)), 0), len(entries) - 1)]
    assert make_lookup(table).compute(x) == expected == float(table.find(x))


def test_equal_tables_have_one_operation_also_after_a_pickle():
    lookup = make_lookup(Table(TABLE.name, TABLE.entries))
    assert lookup is make_lookup(TABLE)
    assert pickle.loads(pickle.dumps(lookup)) is lookup
    assert pickle.loads(pickle.dumps(Operation.ADD)) is Operation.ADD
    assert lookup not in set(Operation)


def test_equal_lookups_are_one_value_and_constants_are_folded():
    builder = ValueNumberingBuilder("f", [X])
    x = builder.add_element("x", 0)
    assert builder.emit(make_lookup(TABLE), x) == builder.emit(make_lookup(TABLE), x)
    known = builder.emit(make_lookup(TABLE), builder.add_constant(Exact("1.5")))
    output = Output(Argument("y", (1,), ("1",), ""), (known,))
    program, _ = run_passes(builder.finish([output]))
    assert evaluate(program, {"x": [0.0]}) == {"y": [-2.0]}
    assert not program.tables


def test_a_lookup_counts_as_no_multiplication_and_no_addition():
    operations = count(look_up(TABLE))
    assert (operations.total, operations.other) == (0, 1)


def test_different_tables_are_different_functions():
    other = Table("slopes", TABLE.entries)
    prints = compute_fingerprints(look_up(TABLE, other), FIELD)
    assert prints[1] != prints[2]


@pytest.mark.parametrize(
    "tables",
    [
        (TABLE, Table("heights", (Exact(1),))),
        (Table("x", (Exact(1),)),),
        (Table("Heights", (Exact(1),)),),
        (Table("empty", ()),),
    ],
)
def test_names_of_tables_are_identifiers_that_nothing_else_has(tables):
    with pytest.raises(InvalidProgramError, match="table"):
        validate(look_up(*tables))
