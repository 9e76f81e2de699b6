"""Dhanaraj's decomposition of inverse dynamics into subtasks of three operations.

C. Dhanaraj, M.Eng. thesis, Memorial University of Newfoundland, 1990, sections 4.3 and 4.5; the
subtasks and the rules by which some of them fall away are data (`published/subtasks.yaml`).
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
"""Floating-point operations of a subtask."""

UNIT = f"levels of {OPERATIONS} operations"

FrictionPart = Literal["none", "transmission", "all"]

_Numbers = tuple[int, ...]


class Subtasks(Record):
    """Subtasks of a link that depend on the same ones.

    Attributes:
        step: of the algorithm (thesis, Table 2.4).
        inward: whether they belong to the recursion from the tip to the base.
        own, previous, next: numbers of those that come first, of this link, of the one before, of
        the one behind.
    """

    numbers: _Numbers
    step: str
    computes: str
    inward: bool = False
    own: _Numbers = ()
    previous: _Numbers = ()
    next: _Numbers = ()


class Zeros(Record):
    """Numbers that fall away with one, two and three zeros in a vector."""

    one: _Numbers
    two: _Numbers
    three: _Numbers

    def of(self, count: int) -> _Numbers:
        """The number for a vector with so many zeros."""
        return ((), self.one, self.two, self.three)[count]


class Eliminated(Record):
    """Numbers of the subtasks that fall away.

    Attributes:
        displacement_before: by the zeros in the displacement from the previous origin to this one.
        displacement_behind: in that from this origin to the next one.
        centre_of_mass: in the centre of mass.
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
    """The properties of a link that the rules ask for.

    Attributes:
        is_prismatic: its joint.
        zeros_before, zeros_behind, zeros_of_mass: zero components of the displacements and of the
        centre of mass.
    """

    is_prismatic: bool = False
    zeros_before: int = 0
    zeros_behind: int = 0
    zeros_of_mass: int = 0


class Arm(Record):
    """An arm as the thesis takes it, a number for every link from the base.

    Attributes:
        robots: names of the bundled robots that describe it.
        joints: R or P.
    """

    robots: tuple[str, ...]
    joints: str
    zeros_before: _Numbers
    zeros_behind: _Numbers
    zeros_of_mass: _Numbers

    @property
    def shapes(self) -> tuple[LinkShape, ...]:
        """The properties of its links that the rules ask for."""
        zeros = zip(self.zeros_before, self.zeros_behind, self.zeros_of_mass, strict=True)
        return tuple(
            LinkShape(joint == "P", *each) for joint, each in zip(self.joints, zeros, strict=True)
        )


class Decomposition(Record):
    """The thesis's data: rules for one link, and the arms that it goes through."""

    subtasks: tuple[Subtasks, ...]
    friction: tuple[Subtasks, ...]
    eliminated: Eliminated
    arms: dict[str, Arm]


@cache
def decomposition() -> Decomposition:
    """The bundled data."""
    return read_records(Decomposition, "subtasks")


def arm_of(description: RobotDescription) -> tuple[str, Arm] | None:
    """Return the thesis's arm that a bundled robot describes, and its name.

    None for all other robots.
    """
    for name, arm in decomposition().arms.items():
        if description.name in arm.robots and is_bundled(description):
            return name, arm
    return None


def link_shapes(model: RobotModel) -> tuple[LinkShape, ...]:
    """Joints and zeros of a robot.

    Raises:
        UsageError: it is no chain, which the thesis's algorithm is for.
    """
    if any(body.parent != index - 1 for index, body in enumerate(model.bodies)):
        raise UsageError(
            f"{model.name} branches: the thesis's subtasks are for chains of links; schedule "
            f"it with --tasks program"
        )
    counts = [_zeros_of_displacement(body) for body in model.bodies] + [3]
    return tuple(
        LinkShape(
            not body.joint.angular,
            counts[index],
            counts[index + 1],
            sum(map(is_zero, body.inertial.first_moment)),
        )
        for index, body in enumerate(model.bodies)
    )


def _zeros_of_displacement(body: Body) -> int:
    """Components from the parent's origin to the body's that are zero wherever the joint is."""
    pose = body.placement.pose
    fixed = [is_zero(along) or not body.joint.linear for along in pose.z_axis]
    return sum(
        stays and is_zero(number) for stays, number in zip(fixed, pose.translation, strict=True)
    )


def decompose(shapes: Sequence[LinkShape], friction: FrictionPart = "none") -> TaskGraph:
    """The subtasks of an arm, by the rules.

    Args:
        shapes: of the links, from the base.
        friction: whose subtasks to add: transmission (Table 3.2), or all: bearings (Table 3.1) too.
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
    return _graph("inverse dynamics", len(shapes), gone, with_friction=friction != "none")


def graph_of(names: Collection[str], links: int) -> TaskGraph:
    """The subtasks of given names, as `312`: what a printed schedule holds."""
    everything = {
        (link, number)
        for link in range(1, links + 1)
        for each in decomposition().subtasks
        for number in each.numbers
    }
    gone = {(link, number) for link, number in everything if _name(link, number) not in names}
    return _graph("inverse dynamics", links, gone, with_friction=False)


def _name(link: int, number: int) -> str:
    """A subtask's name as the thesis writes it: the link, then two digits."""
    return f"{link}{number:02}"


def _graph(
    name: str, links: int, gone: Collection[tuple[int, int]], with_friction: bool
) -> TaskGraph:
    """Return the graph without the removed subtasks.

    The successors of a removed subtask depend on its predecessors.
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
    # Of a subtask its own position, of an eliminated one what it depends on.
    sources: dict[tuple[int, int], frozenset[int]] = {}
    tasks: list[Task] = []
    for link, number in (*outward, *inward):  # an order in which predecessors come first
        step = steps[number]
        needed = frozenset[int]().union(
            *(sources.get(each, ()) for each in _needed(link, step))
        )  # beyond the arm is nothing
        if (link, number) in gone:
            sources[link, number] = needed
            continue
        sources[link, number] = frozenset({len(tasks)})
        label = f"step {step.step}: {step.computes}"
        tasks.append(
            Task(
                _name(link, number),
                1,
                tuple(sorted(needed)),
                (1,) * len(needed),
                group=f"link {link}",
                label=label,
            )
        )
    graph = TaskGraph(name, tuple(tasks), unit=UNIT)
    # The thesis stacks the links so (section 4.3.1): outwards as early, inwards as late as can be.
    begin_inward = sum(key not in gone for key in outward)
    layers = (*graph.earliest_layers[:begin_inward], *graph.latest_layers[begin_inward:])
    return replace(graph, arrangement=layers)


def _needed(link: int, step: Subtasks) -> list[tuple[int, int]]:
    return [
        *((link, number) for number in step.own),
        *((link - 1, number) for number in step.previous),
        *((link + 1, number) for number in step.next),
    ]
