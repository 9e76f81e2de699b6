"""Early stores: each result once, after its value; overwritten inputs are not read."""

from __future__ import annotations

from hypothesis import given

from dynagen.codegen.segments import COPIES, FIRST_RESULTS, store_early
from dynagen.ir.program import Element
from dynagen.ir.statements import (
    Assignment,
    Constant,
    Listing,
    Name,
    Store,
    list_atoms,
    write_statements,
)
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs

PROGRAM = """program f
input q[3] "positions" "rad, rad, rad"
output y[5] "results" ", , , , "
section "Angle"
  s1, c1 = sincos(q[0])
section "Sums"
  a = s1*q[1]
  b = a + c1
result y = b, 0, q[2], a, b
"""


def copy(element: Element) -> str:
    return f"{element.argument}[{element.index}]"


def flat(listing: Listing):
    return [statement for block in listing.blocks for statement in block.statements]


def test_results_follow_their_values_and_those_without_operations_come_first():
    copies, first, angle, sums = store_early(write_statements(parse_program(PROGRAM)), copy).blocks
    assert [each.title for each in (copies, first, angle, sums)] == [
        COPIES,
        FIRST_RESULTS,
        "Angle",
        "Sums",
    ]
    assert copies.statements == tuple(Assignment(f"q[{k}]", Element("q", k)) for k in range(3))
    (one, zero), (two, passed) = first.statements
    assert (one.index, two.index, passed) == (1, 2, Name("q[2]"))
    assert isinstance(zero, Constant)
    assert [
        each.place.index if isinstance(each, Store) else each.name for each in sums.statements
    ] == ["a", 3, "b", 0, 4]


def test_inputs_that_are_read_before_the_first_store_are_read_as_they_are():
    late = write_statements(parse_program(PROGRAM.replace("b, 0, q[2], a, b", "b, b, b, b, b")))
    assert [block.title for block in store_early(late, copy).blocks] == ["Angle", "Sums"]


@given(programs())
def test_everything_is_computed_as_before_and_stored_once_from_what_is_still_there(program):
    listing = write_statements(program)
    early = store_early(listing, copy)
    known, stored = set(), []
    for statement in flat(early):
        for atom in list_atoms(statement.expression):
            assert not (isinstance(atom, Element) and stored)
            assert isinstance(atom, Element) or atom.name in known
        known.update(statement.assigned)
        if isinstance(statement, Store):
            stored.append(statement.place)
    assert sorted(stored, key=str) == sorted((each.place for each in listing.stores), key=str)
    values = {store.place: store.value for store in listing.stores}
    for place, value in (each for each in flat(early) if isinstance(each, Store)):
        assert value == (
            Name(copy(values[place])) if isinstance(values[place], Element) else values[place]
        )
    uncopied = store_early(listing, None)
    assert [each for each in flat(uncopied) if not isinstance(each, Store)] == flat(listing)
    assert {output.argument.is_status for output, _ in early.results} <= {True}
