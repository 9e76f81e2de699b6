"""Dhanaraj's decomposition of inverse dynamics into subtasks of three operations.

The source is the master's thesis of Dhanaraj, Memorial University of Newfoundland, 1990, sections
4.3 and 4.5. A subtask is eliminated if its result is zero or known, for example because a vector
has zero components. The subtasks, and the rules that eliminate subtasks, are in
`published/subtasks.yaml`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from dynagen.codegen.cores.tasks import Task, TaskGraph
from dynagen.errors import UsageError
from dynagen.numbers.exact import is_zero
from dynagen.resources import Record, read_records
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import is_bundled
from dynagen.robot.model.model import Body, RobotModel

OPERATIONS = 3
"""Number of floating-point operations of a subtask."""

UNIT = f"levels of {OPERATIONS} operations"

FrictionPart = Literal["none", "transmission", "all"]

_Numbers = tuple[int, ...]


class Subtasks(Record):
    """Subtasks of inverse dynamics for one link, which have the same predecessors.

    Attributes:
        numbers: numbers of the subtasks in Table 4.1 of Dhanaraj (1990).
        step: step of the algorithm in Table 2.4 of the thesis to which the subtasks belong.
        computes: name of the result of the subtasks, for reports.
        inward: whether the subtasks belong to the recursion from tip to base.
        own: subtask numbers of the predecessors in the same link.
        previous: subtask numbers of the predecessors in the previous link, towards the base.
        next: subtask numbers of the predecessors in the next link, towards the tip.
    """

    numbers: _Numbers
    step: str
    computes: str
    inward: bool = False
    own: _Numbers = ()
    previous: _Numbers = ()
    next: _Numbers = ()


class Zeros(Record):
    """Numbers of the subtasks of inverse dynamics to eliminate if a vector has zero components.

    Attributes:
        one: subtasks eliminated by one zero component.
        two: subtasks eliminated by two zero components.
        three: subtasks eliminated if the vector is zero.
    """

    one: _Numbers
    two: _Numbers
    three: _Numbers

    def of(self, count: int) -> _Numbers:
        """Return the numbers of the subtasks that `count` zero components of a vector eliminate."""
        return ((), self.one, self.two, self.three)[count]


class Eliminated(Record):
    """Rules that eliminate subtasks of inverse dynamics whose results are zero or known.

    The rules are from Tables 4.2, 4.5 and 4.6 of Dhanaraj (1990), and contain subtask numbers.

    Attributes:
        prismatic: subtasks eliminated in a link with a prismatic joint.
        first_link: subtasks eliminated in the first link.
        last_link: subtasks eliminated in the last link.
        displacement_before: subtasks eliminated by zeros in the displacement from the previous
            link's origin.
        displacement_behind: subtasks eliminated by zeros in the displacement to the next link's
            origin.
        centre_of_mass: subtasks eliminated by zeros in the position of the centre of mass.
        prismatic_bearing: subtasks of bearing friction eliminated in a link with a prismatic joint.
        no_bearing_friction: subtasks eliminated if bearings have no friction.
    """

    prismatic: _Numbers
    first_link: _Numbers
    last_link: _Numbers
    displacement_before: Zeros
    displacement_behind: Zeros
    centre_of_mass: Zeros
    prismatic_bearing: _Numbers
    no_bearing_friction: _Numbers


@dataclass(frozen=True)
class LinkShape:
    """Properties of a link, by which rules eliminate subtasks of inverse dynamics.

    Attributes:
        is_prismatic: whether the link's joint is prismatic.
        zeros_before: number of zero components of the displacement from the previous link's origin.
        zeros_behind: number of zero components of the displacement to the next link's origin.
        zeros_of_mass: number of zero components of the centre of mass.
    """

    is_prismatic: bool = False
    zeros_before: int = 0
    zeros_behind: int = 0
    zeros_of_mass: int = 0


class Arm(Record):
    """Example arm in the thesis of Dhanaraj (1990).

    `joints` and the numbers of zeros have one entry for each link, from the base.

    Attributes:
        robots: names of the bundled robots that describe the arm.
        joints: a letter for each joint: R for revolute, P for prismatic.
        zeros_before: number of zero components of the displacement from the previous link's origin.
        zeros_behind: number of zero components of the displacement to the next link's origin.
        zeros_of_mass: number of zero components of the centre of mass.
    """

    robots: tuple[str, ...]
    joints: str
    zeros_before: _Numbers
    zeros_behind: _Numbers
    zeros_of_mass: _Numbers

    @property
    def shapes(self) -> tuple[LinkShape, ...]:
        """Joint type of each link, and numbers of zero components of its vectors, from the base."""
        zeros = zip(self.zeros_before, self.zeros_behind, self.zeros_of_mass, strict=True)
        return tuple(
            LinkShape(joint == "P", *each) for joint, each in zip(self.joints, zeros, strict=True)
        )


class Decomposition(Record):
    """Data of Dhanaraj's thesis: subtasks of a link, rules that eliminate them, and example arms.

    Attributes:
        subtasks: subtasks without friction.
        friction: subtasks that compute friction (section 4.5 of the thesis).
        eliminated: rules that eliminate subtasks.
        arms: arms by name.
    """

    subtasks: tuple[Subtasks, ...]
    friction: tuple[Subtasks, ...]
    eliminated: Eliminated
    arms: dict[str, Arm]


@cache
def decomposition() -> Decomposition:
    """Read Dhanaraj's subtasks, elimination rules and arms from `published/subtasks.yaml`."""
    return read_records(Decomposition, "subtasks")


def arm_of(description: RobotDescription) -> tuple[str, Arm] | None:
    """Return name and data of the example arm in Dhanaraj's thesis that a robot describes.

    The result is None if a robot is not one of the bundled robots for these arms.
    """
    for name, arm in decomposition().arms.items():
        if description.name in arm.robots and is_bundled(description):
            return name, arm
    return None


def link_shapes(model: RobotModel) -> tuple[LinkShape, ...]:
    """Return the joint type of each link of a chain, and the zero counts of its vectors.

    A zero count is the number of zero components of a vector: a displacement between link origins,
    or the centre of mass. The rules of Dhanaraj's thesis eliminate parts (subtasks) of
    inverse dynamics by these properties. The links are in order from the base.

    Raises:
        UsageError: the robot is not a chain of links.
    """
    if any(body.parent != index - 1 for index, body in enumerate(model.bodies)):
        raise UsageError(
            f"{model.name} is a tree: the subtasks of the thesis apply to chains of links only; "
            "use --tasks program"
        )
    # No link is behind the last one: all components of that displacement count as zero.
    counts = [_count_zeros(body) for body in model.bodies] + [3]
    return tuple(
        LinkShape(
            not body.joint.angular,
            counts[index],
            counts[index + 1],
            sum(map(is_zero, body.inertial.first_moment)),
        )
        for index, body in enumerate(model.bodies)
    )


def _count_zeros(body: Body) -> int:
    """Count the components of a displacement that are zero at every joint position.

    The displacement from the parent's origin to the body's origin is in the parent's axes.
    """
    pose = body.placement.pose
    fixed = [is_zero(along) or not body.joint.linear for along in pose.z_axis]
    return sum(
        stays and is_zero(number) for stays, number in zip(fixed, pose.translation, strict=True)
    )


def decompose(shapes: Sequence[LinkShape], friction: FrictionPart = "none") -> TaskGraph:
    """Return the task graph of an arm's inverse dynamics, by the rules of Dhanaraj's thesis.

    Args:
        shapes: properties of each link, from the base.
        friction: friction to include: `none`, `transmission` (friction of transmissions, Table 3.2
            of the thesis) or `all` (also of bearings, Table 3.1).
    """
    rules = decomposition().eliminated
    gone = set()
    for link, shape in enumerate(shapes, 1):
        numbers = {
            *(rules.prismatic if shape.is_prismatic else ()),
            *(rules.first_link if link == 1 else ()),
            *(rules.last_link if link == len(shapes) else ()),
            *rules.displacement_before.of(shape.zeros_before),
            *rules.displacement_behind.of(shape.zeros_behind),
            *rules.centre_of_mass.of(shape.zeros_of_mass),
            *(rules.prismatic_bearing if shape.is_prismatic else ()),
            *(rules.no_bearing_friction if friction == "transmission" else ()),
        }
        gone |= {(link, number) for number in numbers}
    return _build_graph("inverse dynamics", len(shapes), gone, with_friction=friction != "none")


def graph_of(names: Collection[str], links: int) -> TaskGraph:
    """Return the task graph of the subtasks with given names, such as `312`, without friction.

    The name `312` stands for subtask 12 of link 3.

    Args:
        names: names of subtasks, as in printed schedules.
        links: number of links of the arm.
    """
    everything = {
        (link, number)
        for link in range(1, links + 1)
        for each in decomposition().subtasks
        for number in each.numbers
    }
    gone = {
        (link, number) for link, number in everything if _name_subtask(link, number) not in names
    }
    return _build_graph("inverse dynamics", links, gone, with_friction=False)


def _name_subtask(link: int, number: int) -> str:
    """Return the name of a subtask, such as `312` for subtask 12 of link 3."""
    return f"{link}{number:02}"


def _build_graph(
    name: str, links: int, gone: Collection[tuple[int, int]], with_friction: bool
) -> TaskGraph:
    """Return the task graph of an arm's inverse dynamics, without the eliminated subtasks.

    The successors of an eliminated subtask depend on its predecessors instead. `gone` contains the
    link (from 1) and the number of each eliminated subtask.
    """
    data = decomposition()
    groups = (*data.subtasks, *(data.friction if with_friction else ()))
    steps = {number: group for group in groups for number in group.numbers}
    outward = [
        (link, number)
        for link in range(1, links + 1)
        for number, step in steps.items()
        if not step.inward
    ]
    inward = [
        (link, number)
        for link in range(links, 0, -1)
        for number, step in steps.items()
        if step.inward
    ]
    # Positions of the tasks that a dependent of each subtask waits for: the subtask itself, or
    # the predecessors of an eliminated one.
    sources: dict[tuple[int, int], frozenset[int]] = {}
    tasks: list[Task] = []
    for link, number in (*outward, *inward):  # an order in which predecessors come first
        step = steps[number]
        # Links 0 and n + 1 have no subtasks, hence the default.
        needed = frozenset[int]().union(
            *(sources.get(each, ()) for each in _list_predecessors(link, step))
        )
        if (link, number) in gone:
            sources[link, number] = needed
            continue
        sources[link, number] = frozenset({len(tasks)})
        label = f"step {step.step}: {step.computes}"
        tasks.append(
            Task(
                _name_subtask(link, number),
                1,
                tuple(sorted(needed)),
                (1,) * len(needed),
                group=f"link {link}",
                label=label,
            )
        )
    graph = TaskGraph(name, tuple(tasks), unit=UNIT)
    # The thesis arranges the layers so (section 4.3.1): the outward recursion as early as
    # possible, the inward recursion as late as possible.
    begin_inward = sum(key not in gone for key in outward)
    layers = (*graph.earliest_layers[:begin_inward], *graph.latest_layers[begin_inward:])
    return replace(graph, arrangement=layers)


def _list_predecessors(link: int, step: Subtasks) -> list[tuple[int, int]]:
    """Return the predecessors of the subtasks `step` in a link, as pairs (link, subtask number)."""
    return [
        *((link, number) for number in step.own),
        *((link - 1, number) for number in step.previous),
        *((link + 1, number) for number in step.next),
    ]
