"""The judge of schedules finds every kind of mistake, and nothing else."""

from __future__ import annotations

import pytest

from dynagen.apps.scheduling.checking import Violation, violations
from dynagen.codegen.cores.schedule import Placement, make_processors, parse_units
from tests.support.task_graphs import graph_of

CHAIN = graph_of((2, ()), (1, (0,)), (1, ()))
RIGHT = (Placement("T0", 0, 0), Placement("T1", 0, 2), Placement("T2", 1, 0))


def test_a_right_schedule_has_no_violations() -> None:
    assert violations(CHAIN, make_processors(2), RIGHT) == []


@pytest.mark.parametrize(
    ("placements", "expected"),
    [
        (RIGHT[1:], Violation("missing", ("T0",))),
        ((*RIGHT, Placement("T9", 1, 5)), Violation("unknown", ("T9",), 5)),
        ((*RIGHT, Placement("T2", 1, 4)), Violation("twice", ("T2",), 4)),
        ((RIGHT[0], Placement("T1", 1, 1), RIGHT[2]), Violation("precedence", ("T0", "T1"), 1)),
        ((RIGHT[0], RIGHT[1], Placement("T2", 0, 1)), Violation("occupied", ("T0", "T2"), 1)),
        ((RIGHT[0], RIGHT[1], Placement("T2", 2, 0)), Violation("wrong unit", ("T2",), 0)),
        ((RIGHT[0], RIGHT[1], Placement("T2", 1, -1)), Violation("occupied", ("T2",), -1)),
    ],
)
def test_one_mistake_is_one_violation(
    placements: tuple[Placement, ...], expected: Violation
) -> None:
    assert violations(CHAIN, make_processors(2), placements) == [expected]


def test_a_value_that_is_handed_over_comes_later() -> None:
    elsewhere = (RIGHT[0], Placement("T1", 1, 2), RIGHT[2])
    assert violations(CHAIN, make_processors(2), elsewhere) == []
    assert violations(CHAIN, make_processors(2, handover=1), elsewhere) == [
        Violation("precedence", ("T0", "T1"), 2)
    ]
    assert violations(CHAIN, make_processors(2, handover=1), RIGHT) == []


def test_units_do_their_own_kind_one_after_the_other() -> None:
    graph = graph_of((4, ()), (4, ()), (3, ()), kinds="mma")
    pipelined = (Placement("T0", 0, 0), Placement("T1", 0, 1), Placement("T2", 1, 0))
    assert violations(graph, parse_units("mul=1,add=1"), pipelined) == []
    together = (Placement("T0", 0, 0), Placement("T1", 0, 0), Placement("T2", 1, 0))
    assert violations(graph, parse_units("mul=1,add=1"), together) == [
        Violation("occupied", ("T0", "T1"), 0)
    ]
    swapped = (Placement("T0", 0, 0), Placement("T1", 1, 1), Placement("T2", 1, 0))
    assert violations(graph, parse_units("mul=1,add=1"), swapped) == [
        Violation("wrong unit", ("T1",), 1)
    ]
