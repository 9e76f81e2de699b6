"""Proved optima: of the thesis's subtasks, and of what is generated."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from dynagen.apps.scheduling.checking import violations
from dynagen.apps.scheduling.clustering import program_tasks
from dynagen.apps.scheduling.decomposition import LinkShape, decompose, decomposition
from dynagen.apps.scheduling.methods import METHODS, schedule
from dynagen.apps.scheduling.study import printed_tasks, published_schedules
from dynagen.codegen.cores.schedule import make_processors
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.ir.cost import FLOPS
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.resources import list_bundled_robots
from dynagen.robot.loading import load_robot

COUNTS = range(2, 14)


def proved(graph: TaskGraph, count: int) -> int:
    """Length of the shortest schedule, judged and proved."""
    found = schedule(graph, make_processors(count))
    assert violations(graph, found.resources, found.placements) == []
    assert found.is_optimal
    return found.length


def test_six_general_links() -> None:
    graph = decompose([LinkShape()] * 6)
    assert [proved(graph, count) for count in COUNTS] == [
        115,
        77,
        58,
        47,
        39,
        34,
        30,
        28,
        27,
        27,
        27,
        27,
    ]


def test_the_stanford_arm_as_printed() -> None:
    graph = printed_tasks("stanford")
    assert [proved(graph, count) for count in COUNTS] == [
        78,
        52,
        39,
        32,
        27,
        25,
        25,
        25,
        25,
        25,
        25,
        25,
    ]


def test_the_stanford_arm_by_the_rules() -> None:
    graph = decompose(decomposition().arms["stanford"].shapes)
    assert [proved(graph, count) for count in COUNTS] == [
        77,
        51,
        39,
        31,
        27,
        25,
        25,
        25,
        25,
        25,
        25,
        25,
    ]


def test_layer_by_layer_is_as_good_as_the_thesis_printed_by_hand() -> None:
    printed = published_schedules().lengths("general")
    graph = decompose([LinkShape()] * 6)
    lengths = {
        count: schedule(graph, make_processors(count), METHODS[3]).length for count in printed
    }
    assert all(lengths[count] <= printed[count] for count in (2, 3, 4, 5, 6, 7, 13))
    assert all(lengths[count] <= printed[count] + 1 for count in printed)


@cache
def program(robot: str):
    return generate(load_robot(robot), Settings(verify=False)).functions[0].program


def test_what_is_generated_for_the_stanford_arm_is_shorter_than_the_thesis() -> None:
    graph = program_tasks(program("stanford_listing"), FLOPS)
    lengths = [proved(graph, count) for count in (2, 3, 4, 6, 7, 13)]
    assert all(
        length <= mark for length, mark in zip(lengths, (106, 71, 54, 37, 33, 25), strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("robot", list_bundled_robots())
def test_every_robot_is_within_two_percent_of_its_bound(robot: str) -> None:
    for grain in (None, Fraction(3)):
        graph = program_tasks(program(robot), FLOPS, grain)
        for count in range(2, 9):
            found = schedule(graph, make_processors(count), METHODS[1])
            assert violations(graph, found.resources, found.placements) == []
            if found.length > 1.02 * found.bound:
                found = schedule(graph, make_processors(count))
            assert found.length <= 1.02 * found.bound
