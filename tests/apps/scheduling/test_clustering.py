"""Programs as tasks: nothing is lost, nothing waits for itself, no task is larger than asked
for.
"""

from __future__ import annotations

from fractions import Fraction
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.apps.scheduling.clustering import program_tasks
from dynagen.apps.scheduling.methods import METHODS, schedule
from dynagen.codegen.cores.schedule import make_processors
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.cost import COST_MODELS, CostModel, compute_cost, compute_critical_path, find_cost
from dynagen.ir.operation import Operation
from dynagen.ir.program import Argument, Output, Program
from tests.support.random_programs import programs

MODELS = (*COST_MODELS, find_cost("mul=2,add=1.5,sincos=7,sqrt=3,neg=1,other=1,div=4"))
FLOPS = find_cost("flops")


@given(programs(), st.sampled_from(MODELS))
def test_single_operations_cost_what_the_program_costs(program: Program, model: CostModel) -> None:
    graph = program_tasks(program, model)
    assert graph.work * graph.step == compute_cost(program, model)[0]
    assert len({task.name for task in graph.tasks}) == len(graph.tasks)


@given(programs(), st.sampled_from(MODELS))
def test_the_critical_path_is_that_of_the_program(program: Program, model: CostModel) -> None:
    graph = program_tasks(program, model)
    longest = graph.critical_path * graph.step
    assert longest >= compute_critical_path(program, model)
    if len(_needed(program)) == len(program.instructions):
        assert longest == compute_critical_path(program, model)


@given(programs(), st.sampled_from(MODELS), st.integers(1, 12))
def test_tasks_are_as_small_as_asked_for_and_nothing_is_lost(
    program: Program, model: CostModel, times: int
) -> None:
    single = program_tasks(program, model)
    largest = max((task.duration * single.step for task in single.tasks), default=Fraction(1))
    grain = largest * times
    graph = program_tasks(program, model, grain)
    assert graph.work == single.work
    assert all(task.duration * graph.step <= grain for task in graph.tasks)
    assert all(
        each < position for position, task in enumerate(graph.tasks) for each in task.predecessors
    )
    assert sorted(name for task in graph.tasks for name in task.label.split(", ")) == sorted(
        task.name for task in single.tasks
    )
    assert graph.crossing_values <= single.crossing_values
    assert graph.critical_path >= single.critical_path


def test_a_chain_of_four_additions_is_two_tasks_of_two() -> None:
    builder = Builder("chain", (Argument("q", (5,), ("m",) * 5, "terms"),))
    total = builder.add_element("q", 0)
    for index in range(1, 5):
        total = builder.emit(Operation.ADD, total, builder.add_element("q", index))
    program = builder.finish([Output(Argument("sum", (1,), ("m",), "their sum"), (total,))])
    assert [task.duration for task in program_tasks(program, FLOPS, Fraction(2)).tasks] == [2, 2]
    assert [task.duration for task in program_tasks(program, FLOPS, Fraction(100)).tasks] == [4]


def test_a_grain_that_no_operation_fits_is_refused() -> None:
    builder = Builder("one", (Argument("q", (2,), ("m", "m"), "factors"),))
    product = builder.emit(
        Operation.MULTIPLY, builder.add_element("q", 0), builder.add_element("q", 1)
    )
    program = builder.finish([Output(Argument("area", (1,), ("m^2",), "product"), (product,))])
    with pytest.raises(
        UsageError,
        match=r"expected a grain of at least 4, the cost of one mul in .*, found 3",
    ):
        program_tasks(program, find_cost("mul=4,add=1"), Fraction(3))


@pytest.mark.slow
def test_thirty_thousand_operations_take_seconds() -> None:
    program = _braid(30_000)
    start = process_time()
    for grain in (None, Fraction(3)):
        graph = program_tasks(program, FLOPS, grain)
        assert graph.work == 30_000
        for count in (2, 8):
            found = schedule(graph, make_processors(count), METHODS[2])
            assert found.length <= found.bound * 1.02
    assert process_time() - start < 60  # 12 s on an idle machine


def _braid(operations: int, strands: int = 40) -> Program:
    """Strands that take turns in taking values of each other: as long and as wide as the dynamics
    of a large humanoid.
    """
    builder = Builder("braid", (Argument("q", (strands,), ("m",) * strands, "beginnings"),))
    heads = [builder.add_element("q", index) for index in range(strands)]
    for turn in range(operations):
        here, there = turn % strands, (7 * turn + turn // strands) % strands
        operation = Operation.MULTIPLY if turn % 3 else Operation.ADD
        heads[here] = builder.emit(operation, heads[here], heads[there])
    return builder.finish(
        [Output(Argument("ends", (strands,), ("m",) * strands, "ends"), tuple(heads))]
    )


def _needed(program: Program) -> set[int]:
    needed = set(program.iterate_result_values())
    for position in reversed(range(len(program.instructions))):
        if position in needed:
            needed.update(program.instructions[position].operands)
    return needed
