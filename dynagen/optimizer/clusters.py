"""Search for the best clusters of joints for the articulated-body method.

The method eliminates the joints of a cluster together. A partition of the joints into clusters is
described by a set of bodies: each body whose joint is in the cluster of its parent's joint
(`BodyChoice.joined`). With the empty set of bodies, every joint is a cluster of its own (ABA). With
the set of all bodies, all joints are in one cluster (CRBA). The best partition depends on the
robot. With the search effort `default`, the operations of a few partitions are counted for one
formulation of the dynamics (candidate). With `max`, a search changes the best partition one joint
at a time (coordinate descent).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dynagen.dynamics.candidate import Candidate
from dynagen.ir.cost import Cost
from dynagen.optimizer.descent import descend
from dynagen.robot.model.model import BASE, RobotModel

Partition = frozenset[int]
"""Type of a partition of joints into clusters: a set of body indices.

The set contains each body whose joint is in the same cluster as the joint of its parent.
"""


def join_joints(candidate: Candidate, partition: Partition) -> Candidate:
    """Return a candidate with another partition of its joints into clusters.

    Args:
        candidate: formulation of the dynamics: robot model and choices for its bodies.
        partition: indices of the bodies whose joint belongs to the cluster of the parent's joint.
    """
    choices = tuple(
        choice
        if choice.joined == (index in partition)
        else replace(choice, joined=not choice.joined)
        for index, choice in enumerate(candidate.choices)
    )
    return replace(candidate, choices=choices)


def list_usual_partitions(model: RobotModel) -> tuple[Partition, ...]:
    """Return usual partitions of joints into clusters; in the first, each joint is a cluster.

    Forward dynamics eliminates the joints of a cluster together. The other partitions join all
    joints except the last one of each limb; the last two or three joints of each limb; the joints
    near the base; or both the last joints of limbs and the joints near the base. Each partition is
    the cheapest one for some robot (`docs/optimizer.md`).
    """
    bodies = model.bodies
    height = [1] * len(bodies)  # of a tip
    for index in reversed(range(len(bodies))):
        if bodies[index].parent != BASE:
            parent = bodies[index].parent
            height[parent] = max(height[parent], height[index] + 1)
    joinable = [index for index, body in enumerate(bodies) if body.parent != BASE]
    # Joints that the base's joints carry: their cluster moves relative to a base at rest, so only
    # forces along its joints count.
    first = frozenset(
        index
        for index in joinable
        if bodies[bodies[index].parent].parent == BASE and not bodies[bodies[index].parent].is_free
    )
    limbs = [index for index in joinable if len(model.list_children(bodies[index].parent)) == 1]
    without_tips = frozenset(index for index in joinable if height[index] > 1)
    last = [frozenset(index for index in limbs if height[index] < count) for count in (2, 3)]
    partitions = (frozenset[int](), without_tips, first, *last, *(each | first for each in last))
    return tuple(dict.fromkeys(partitions))


def choose_partition(candidate: Candidate, cost: Callable[[Candidate], Cost]) -> Partition:
    """Return the cheapest partition of joints into clusters among `list_usual_partitions`.

    Args:
        candidate: formulation of the dynamics, whose own partition is ignored.
        cost: function that returns the cost of a candidate.
    """
    return min(
        list_usual_partitions(candidate.model),
        key=lambda partition: cost(join_joints(candidate, partition)),
    )


def search_partition(
    candidate: Candidate, cost: Callable[[Candidate], Cost], budget: int
) -> Partition:
    """Return the cheapest partition of the joints into clusters that a search finds.

    The search changes one joint at a time while that lowers the cost (coordinate descent).

    Args:
        candidate: formulation of the dynamics, with the partition from which the search starts.
        cost: function that returns the cost of a candidate.
        budget: largest number of partitions to evaluate.
    """
    bodies = candidate.model.bodies
    options = [(True, False) if body.parent != BASE else (False,) for body in bodies]

    def find_joined(choices: tuple[bool, ...]) -> Partition:
        return frozenset(index for index, joined in enumerate(choices) if joined)

    def cost_of(choices: tuple[bool, ...]) -> Cost:
        return cost(join_joints(candidate, find_joined(choices)))

    start = tuple(choice.joined for choice in candidate.choices)
    return find_joined(descend([start], options, cost_of, budget).choices)
