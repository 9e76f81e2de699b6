"""What a task graph says of itself."""

from __future__ import annotations

from hypothesis import given

from dynagen.codegen.cores.tasks import TaskGraph
from tests.support.task_graphs import graph_of, task_graphs

#      T0 (2) -> T2 (1) -> T4 (3)
#      T1 (1) -> T3 (1) --^
DIAMOND = graph_of((2, ()), (1, ()), (1, (0,)), (1, (1,)), (3, (2, 3)))


def test_heads_tails_and_slacks_of_a_small_graph() -> None:
    assert DIAMOND.heads == (0, 0, 2, 1, 3)
    assert DIAMOND.tails == (6, 5, 4, 4, 3)
    assert DIAMOND.slacks == (0, 1, 0, 1, 0)
    assert (DIAMOND.critical_path, DIAMOND.work, DIAMOND.crossing_values) == (6, 8, 4)
    assert DIAMOND.successors == ((2,), (3,), (4,), (4,), ())


def test_layers_of_a_small_graph() -> None:
    graph = graph_of((1, ()), (1, (0,)), (1, (1,)), (1, ()), (1, ()))
    assert graph.earliest_layers == (0, 1, 2, 0, 0)
    assert graph.latest_layers == (0, 1, 2, 2, 2)
    assert (graph.widths, graph.concurrency) == ((1, 1, 3), 3)


def test_an_empty_graph_takes_no_time() -> None:
    graph = TaskGraph("nothing", ())
    assert (graph.critical_path, graph.layer_count, graph.concurrency, graph.work) == (0, 0, 0, 0)


@given(task_graphs())
def test_the_reverse_of_a_graph_has_heads_for_tails(graph: TaskGraph) -> None:
    reverse = graph.reverse()
    durations = [task.duration for task in graph.tasks]
    ends = [head + task.duration for head, task in zip(reverse.heads, reverse.tasks, strict=True)]
    assert ends[::-1] == list(graph.tails)
    assert [task.duration for task in reverse.tasks] == durations[::-1]
    assert reverse.critical_path == graph.critical_path


@given(task_graphs())
def test_every_layer_needs_something_of_the_one_before_and_nothing_of_its_own(
    graph: TaskGraph,
) -> None:
    for layers in (graph.earliest_layers, graph.latest_layers):
        for position, task in enumerate(graph.tasks):
            assert all(layers[each] < layers[position] for each in task.predecessors)
    for position, task in enumerate(graph.tasks):
        assert graph.earliest_layers[position] <= graph.latest_layers[position]
        assert any(
            graph.earliest_layers[each] == graph.earliest_layers[position] - 1
            for each in task.predecessors
        ) or (graph.earliest_layers[position] == 0)
