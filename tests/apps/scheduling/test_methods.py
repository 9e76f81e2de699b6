"""Schedules: right by a judge that did not make them, and the exact ones as short as trying
everything finds.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.apps.scheduling.checking import violations
from dynagen.apps.scheduling.methods import METHODS, Method, interval_bound, schedule
from dynagen.codegen.cores.schedule import Resources, make_processors, parse_units
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.errors import ToolchainError, UsageError
from tests.support.task_graphs import graph_of, shortest_by_trying, task_graphs

HEURISTICS = METHODS[1:]
SOME_PROCESSORS = st.builds(make_processors, st.integers(1, 5), st.sampled_from([0, 0, 1, 3]))
SOME_UNITS = st.builds(
    lambda mul, add: parse_units(f"mul={mul},add={add}"), st.integers(1, 3), st.integers(1, 3)
)
MUL_AND_ADD = ("mul", "add")


@given(task_graphs(), SOME_PROCESSORS, st.sampled_from(HEURISTICS))
def test_every_schedule_is_right_and_no_shorter_than_its_bound(
    graph: TaskGraph, resources: Resources, method: Method
) -> None:
    found = schedule(graph, resources, method)
    assert violations(graph, resources, found.placements) == []
    assert found.bound <= found.length <= graph.work + resources.handover * len(graph.tasks)


@given(task_graphs(kinds=MUL_AND_ADD), SOME_UNITS, st.sampled_from(HEURISTICS))
def test_every_schedule_on_units_is_right(
    graph: TaskGraph, resources: Resources, method: Method
) -> None:
    found = schedule(graph, resources, method)
    assert violations(graph, resources, found.placements) == []
    assert found.bound <= found.length


@pytest.mark.tools
@settings(max_examples=25, deadline=None)
@given(
    task_graphs(most=5),
    st.builds(make_processors, st.integers(1, 3), st.sampled_from([0, 0, 1, 2])),
)
def test_exact_schedules_are_as_short_as_can_be(graph: TaskGraph, resources: Resources) -> None:
    found = schedule(graph, resources)
    assert violations(graph, resources, found.placements) == []
    assert (
        interval_bound(graph, resources)
        <= found.length
        == found.bound
        == shortest_by_trying(graph, resources)
    )


@settings(max_examples=25, deadline=None)
@given(
    task_graphs(most=5, kinds=MUL_AND_ADD),
    st.builds(lambda add: parse_units(f"mul=1,add={add}"), st.integers(1, 2)),
)
def test_exact_schedules_on_units_are_as_short_as_can_be(
    graph: TaskGraph, resources: Resources
) -> None:
    found = schedule(graph, resources)
    assert violations(graph, resources, found.placements) == []
    assert (
        interval_bound(graph, resources)
        <= found.length
        == found.bound
        == shortest_by_trying(graph, resources)
    )


def test_the_interval_bound_sees_what_work_and_path_do_not() -> None:
    # One task, then six that nothing orders, then one: on four processors the six need two steps.
    graph = graph_of((1, ()), *[(1, (0,))] * 6, (1, (1, 2, 3, 4, 5, 6)))
    assert (graph.critical_path, graph.work) == (3, 8)
    assert interval_bound(graph, make_processors(4)) == 4
    assert schedule(graph, make_processors(4)).length == 4


# Two chains, of 8 and of 5 steps, beside four short tasks: level order does not pack them.
PACKING = graph_of((4, ()), (4, (0,)), (2, ()), (2, ()), (3, ()), (3, (3,)), (3, ()), (3, ()))


@pytest.mark.tools
def test_the_search_finds_what_lists_miss() -> None:
    assert [schedule(PACKING, make_processors(2), method).length for method in METHODS[:3]] == [
        12,
        13,
        13,
    ]
    assert schedule(PACKING, make_processors(2)).is_optimal


@pytest.mark.tools
def test_handing_a_value_over_may_cost_more_than_waiting() -> None:
    graph = graph_of((1, ()), (1, (0,)), (1, (0,)))
    apart, dear = (schedule(graph, make_processors(2, handover)) for handover in (0, 5))
    assert (apart.length, dear.length) == (2, 3)
    assert len({placement.unit for placement in dear.placements}) == 1


def test_a_pipelined_unit_begins_one_operation_in_each_step() -> None:
    graph = graph_of((4, ()), (4, ()), (4, ()), (3, (0, 1)), kinds="mmma")
    found = schedule(graph, parse_units("mul=1,add=1"))
    assert found.length == 1 + 4 + 3
    assert found.efficiency == 4 / (8 * 2)


@pytest.mark.tools
def test_the_same_schedule_comes_out_every_time() -> None:
    assert schedule(PACKING, make_processors(2)) == schedule(PACKING, make_processors(2))


def test_without_a_solver_it_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynagen.resources.find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match=r"pip install 'dynagen\[schedule\]'"):
        schedule(PACKING, make_processors(2))
    assert schedule(PACKING, make_processors(2), METHODS[1]).length == 13
    assert schedule(PACKING, make_processors(8)).is_optimal  # by the bound alone


@pytest.mark.parametrize("count", [0, -1, 1025])
def test_processors_that_nobody_has_are_refused(count: int) -> None:
    with pytest.raises(UsageError, match=f"expected 1 to 1024 processors, found {count}"):
        make_processors(count)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mull=2", "unknown kind of unit 'mull'; did you mean `mul`"),
        ("mul=0", "expected 1 to 1024 units of kind mul, found '0'"),
        ("mul=2,mul=1", "the kind mul occurs twice"),
        ("mul", "expected 1 to 1024 units of kind mul, found ''"),
        ("", "unknown kind of unit ''"),
    ],
)
def test_units_that_are_none_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_units(text)


def test_units_that_a_program_needs_are_asked_for() -> None:
    with pytest.raises(
        UsageError, match=r"operations without a unit: mul; add mul=1 to --units add=2"
    ):
        schedule(graph_of((1, ()), (1, (0,)), kinds="ma"), parse_units("add=2"))
