"""Partitions of joints into clusters: the usual ones, the choice by counting, and the search."""

import pytest

from dynagen.dynamics.candidate import make_described_candidate
from dynagen.optimizer.clusters import (
    choose_partition,
    join_joints,
    list_usual_partitions,
    search_partition,
)
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.options import ReadingOptions
from tests.support.counts_table import total_of


def test_the_usual_partitions_of_a_tree():
    """A torso (0) with two arms, 1 to 3 and 4 to 6."""
    two_arm = build_model(load_robot("two_arm"))
    assert list_usual_partitions(two_arm) == (
        frozenset(),
        frozenset({1, 2, 4, 5}),  # all but the tips
        frozenset({1, 4}),  # those that the first joint carries
        frozenset({3, 6}),  # the last two of each arm
        frozenset({2, 3, 5, 6}),  # the last three
        frozenset({1, 3, 4, 6}),
        frozenset({1, 2, 3, 4, 5, 6}),
    )


def test_no_joint_is_joined_to_a_floating_base_by_itself():
    """Only the partition of all but the tips joins joints to it: the legs' first joints."""
    solo = build_model(load_robot("solo12", ReadingOptions(base="floating")))
    legs = {1, 4, 7, 10}
    assert [bool(legs & joined) for joined in list_usual_partitions(solo)] == [
        False,
        True,
        False,
        False,
    ]


def test_the_partition_with_the_lowest_count_is_chosen_and_improved():
    """Each joined joint counts its number, but joint 3 of the PUMA saves two operations."""
    candidate = make_described_candidate(build_model(load_robot("puma560")))
    seen = []

    def cost(candidate):
        joined = [index for index, choice in enumerate(candidate.choices) if choice.joined]
        seen.append(joined)
        total = sum(-2 if index == 3 else index for index in joined)
        return total, total

    chosen = choose_partition(candidate, cost)
    assert chosen == frozenset()
    assert search_partition(join_joints(candidate, chosen), cost, 20) == {3}
    assert all(0 not in joined for joined in seen)  # nothing carries the first joint
    assert search_partition(candidate, cost, 1) == frozenset()


@pytest.mark.parametrize(
    ("robot", "most"),
    [("puma560", 448), ("stanford_listing", 372), ("ur5", 387), ("stanford_saha", 227)],
)
def test_clusters_cost_less_than_either_end_of_the_family(robot, most):
    """`most`: the cheaper of composite and articulated bodies without clusters."""
    assert total_of(robot, "forward_dynamics") < most
