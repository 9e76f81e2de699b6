"""Programs divided among cores: correct in any order of events, not slower than one core."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.codegen.cores.partitioning import Crossing, divide, gather
from dynagen.codegen.cores.tasks import Timing, find_timing
from dynagen.codegen.cores.timeline import CoreStep, arrange
from dynagen.codegen.partition import Partition
from dynagen.errors import UsageError
from dynagen.ir.program import Program
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot
from tests.support.random_programs import programs
from tests.support.simulated_cores import run_cores

FREE = Timing(Fraction(10), Fraction(0))  # free hand-offs, so as many as possible
SLOW = Timing(Fraction(1, 4), Fraction(60))


def compiled(robot: str, function: str) -> Program:
    (made,) = generate(load_robot(robot), Settings(functions=(function,), verify=False)).functions
    return made.program


def states_for(program: Program, count: int, seed: int = 5) -> list[dict[str, list[float]]]:
    generator = np.random.default_rng(seed)
    return [
        {each.name: list(generator.uniform(0.1, 2, each.size)) for each in program.inputs}
        for _ in range(count)
    ]


def alone(program: Program) -> Partition:
    return divide(program, 1, SLOW)


def assert_right(partition: Partition, calls: int = 9) -> None:
    """Every call returns the results of one core, whatever the speed of each core."""
    program = partition.program
    states = states_for(program, calls)
    expected = run_cores(alone(program), states, seed=0)
    for seed in range(4):
        np.testing.assert_array_equal(run_cores(partition, states, seed), expected)


@pytest.mark.slow
@given(
    programs(most_operations=40),
    st.integers(2, 4),
    st.sampled_from([FREE, Timing(Fraction(10), Fraction(15)), SLOW]),
)
@settings(max_examples=40)
def test_random_programs_give_the_same_bits_in_any_order_of_events(
    program: Program, cores: int, timing: Timing
) -> None:
    partition = divide(program, cores, timing)
    assert partition.together <= partition.alone
    assert_right(partition)


@pytest.mark.parametrize(
    ("cores", "faster"), [(2, 1.7), pytest.param(3, 2.3, marks=pytest.mark.slow), (7, 3.2)]
)
@pytest.mark.parametrize(
    "function", ["inverse_dynamics", pytest.param("forward_dynamics", marks=pytest.mark.slow)]
)
def test_functions_of_a_robot_are_divided(function: str, cores: int, faster: float) -> None:
    partition = divide(compiled("stanford_listing", function), cores, FREE)
    assert partition.busy == cores
    assert partition.messages
    assert partition.speedup > faster
    assert_right(partition)


@pytest.mark.slow
def test_instructions_follow_their_operands_and_messages_are_sent_and_received_once() -> None:
    partition = divide(
        compiled("puma560", "inverse_dynamics_derivatives"), 3, Timing(Fraction(10), Fraction(40))
    )
    received = [[] for _ in partition.messages]
    for core, phases in enumerate(partition.cores):
        there: set[int] = set()
        for phase in phases:
            for number in phase.receives:
                message = partition.messages[number]
                assert message.receiver == core
                received[number].append(core)
                there |= set(message.values)
            for position in phase.instructions:
                assert there.issuperset(partition.program.instructions[position].operands)
                there.add(position)
            for number in phase.sends:
                assert partition.messages[number].sender == core
                assert there.issuperset(partition.messages[number].values)
    assert all(len(each) == 1 for each in received)


def test_a_small_function_is_left_to_one_core_where_a_hand_over_takes_longer_than_it() -> None:
    partition = divide(compiled("puma560", "inverse_dynamics"), 2, SLOW)
    assert partition.busy == 1
    assert not partition.messages
    assert partition.together == partition.alone
    assert partition.cores[1] == ()
    slow = divide(compiled("puma560", "inverse_dynamics"), 2, Timing(Fraction(700), Fraction(300)))
    assert slow.speedup > Fraction(18, 10)


@pytest.mark.slow
def test_what_is_cheap_is_computed_twice_rather_than_handed_over() -> None:
    partition = divide(compiled("panda", "inverse_dynamics+mass_matrix+jacobian"), 2, SLOW)
    assert partition.speedup > Fraction(13, 10)
    twice = {each for phase in partition.cores[0] for each in phase.instructions} & {
        each for phase in partition.cores[1] for each in phase.instructions
    }
    assert sum(bool(partition.program.instructions[each].operation.kind) for each in twice) > 20


def test_the_same_program_is_divided_alike() -> None:
    program = compiled("puma260", "mass_matrix")
    assert divide(program, 3, FREE) == divide(program, 3, FREE)


def test_values_that_go_the_same_way_at_the_same_time_share_a_message() -> None:
    crossings = [
        Crossing(1, 0, 1, 0, 100),
        Crossing(2, 0, 1, 30, 100),
        Crossing(3, 0, 1, 80, 200),
        Crossing(4, 1, 0, 0, 100),
    ]
    assert [(each.sender, each.values) for each in gather(crossings, 60, 0)] == [
        (0, (1, 2)),
        (0, (3,)),
        (1, (4,)),
    ]
    assert [(each.sender, each.values) for each in gather(crossings, 60, 60)] == [
        (0, (1, 2, 3)),
        (1, (4,)),
    ]


def test_a_timeline_counts_hand_overs_and_finds_circles() -> None:
    steps = [
        CoreStep(0, 5),
        CoreStep(1, 7),
        CoreStep(1, 2, ((0, 10),)),
        CoreStep(0, 1, ((2, 10), (1, 10))),
    ]
    found = arrange(steps, 2)
    assert found is not None
    assert (found.orders, found.starts, found.length) == (((0, 3), (1, 2)), (0, 0, 15, 27), 28)
    assert arrange([CoreStep(0, 1, ((1, 0),)), CoreStep(1, 1, ((0, 0),))], 2) is None


def test_times_that_cannot_be_are_refused() -> None:
    for operation, handover in ((0, 1), (-1, 1), (1, -1), (float("nan"), 1), (1, float("inf"))):
        with pytest.raises(UsageError, match="expected a time from"):
            find_timing(operation, handover)
