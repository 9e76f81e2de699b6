"""Search for the smallest case that fails in the same way as a given case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.parametric import ParametricNumber
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription
from dynagen.robot.joints import REVOLUTE
from dynagen.robot.options import ReadingOptions
from hardening.cases import PROGRAM, Case

_GRAVITY = (ZERO, ZERO, Exact("-9.81"))
_POINT = CentralInertia(ONE, (ZERO, ZERO, ZERO), (ONE, ONE, ONE, ZERO, ZERO, ZERO))


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Return the smallest failing case, found by removing one part of the case at a time.

    Args:
        case: a case that fails.
        fails: function that returns whether a case fails in the same way as `case`. It raises no
            errors.
    """
    while (smaller := next(filter(fails, _list_smaller(case)), None)) is not None:
        case = smaller
    return case


def _list_smaller(case: Case) -> Iterator[Case]:
    """Yield smaller cases; the cases with the largest removals come first."""
    if case.form != PROGRAM and case.real == "double":
        yield replace(case, form=PROGRAM)
    for function in case.functions if len(case.functions) > 1 else ():
        yield replace(case, functions=tuple(each for each in case.functions if each != function))
    if case.optimize != "none":
        yield replace(case, optimize="none")
    if case.options != ReadingOptions():
        yield replace(case, options=ReadingOptions())
        for name in ("root", "tip", "lock"):
            if getattr(case.options, name):
                yield replace(
                    case, options=replace(case.options, **{name: () if name == "lock" else None})
                )
    if case.payload:
        yield replace(case, payload="")
    for robot in _list_simpler_robots(case.robot):
        yield replace(case, robot=robot)


def _list_simpler_robots(robot: RobotDescription) -> Iterator[RobotDescription]:
    """Yield simpler versions of a robot, for example without one link or without wrenches."""
    for position in reversed(range(len(robot.links))):
        if len(robot.links) > 1:
            yield _remove(robot, position)
    if robot.external_wrenches:
        yield replace(robot, external_wrenches=())
    if robot.gravity != _GRAVITY:
        yield replace(robot, gravity=_GRAVITY)
    for position, link in enumerate(robot.links):
        for simpler in _list_simpler_links(link):
            links = [*robot.links[:position], simpler, *robot.links[position + 1 :]]
            yield _tidy(replace(robot, links=number_coordinates(links)))
    for position, frame in enumerate(robot.frames):
        if frame.placement:
            frames = (
                *robot.frames[:position],
                replace(frame, placement=()),
                *robot.frames[position + 1 :],
            )
            yield replace(robot, frames=frames)


def _remove(robot: RobotDescription, position: int) -> RobotDescription:
    """Return the robot without a link; the parent of the removed link carries its child links."""
    gone = robot.links[position]
    links = []
    for link in (*robot.links[:position], *robot.links[position + 1 :]):
        if link.parent == gone.name:
            link = replace(link, parent=gone.parent)
        if link.joint.mimics == gone.name:
            link = replace(link, joint=replace(link.joint, mimics="", ratio=ONE, offset=ZERO))
        links.append(link)
    carrier = gone.parent or links[0].name
    frames = tuple(
        replace(frame, link=carrier) if frame.link == gone.name else frame for frame in robot.frames
    )
    return _tidy(replace(robot, links=number_coordinates(links), frames=frames))


def _tidy(robot: RobotDescription) -> RobotDescription:
    """Return the robot without unused run-time parameters."""
    text = repr(robot.links)
    used = tuple(each for each in robot.parameters if each.name in text)
    return replace(robot, parameters=used)


def _list_simpler_links(link: LinkDescription) -> Iterator[LinkDescription]:
    """Yield simpler versions of a link, each without one property such as the motor inertia."""
    joint = link.joint
    if joint.mimics:
        yield replace(link, joint=replace(joint, mimics="", ratio=ONE, offset=ZERO))
    if joint.mimics and (joint.ratio != ONE or joint.offset):
        yield replace(link, joint=replace(joint, ratio=ONE, offset=ZERO))
    if joint.type.has_axis and joint.type is not REVOLUTE:
        yield replace(link, joint=replace(joint, type=REVOLUTE, pitch=ZERO))
    if link.motor_inertia:
        yield replace(link, motor_inertia=ZERO)
    if link.after:
        yield replace(link, after=())
    for position in range(len(link.before)):
        yield replace(link, before=(*link.before[:position], *link.before[position + 1 :]))
    if link.inertial != _POINT and not isinstance(link.inertial.mass, ParametricNumber):
        yield replace(link, inertial=_POINT)
