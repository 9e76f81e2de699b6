"""Closed kinematic loops: choice of independent joints, and formulas of dependent joints.

A robot with loops is described as a tree of links and the joints that close its loops. Some joints
of the tree are independent: they have entries of q and v. The other joints are dependent: the loops
determine their variables, which are computed by one of four formulas:

- Mimicking joint: the variable is q or -q, with the variable q of one independent joint. Such
  joints are usual in parallelograms. All functions support them.
- `LinearRow`: the variable is a sum of variables of independent joints, with signs.
- `Dyad`: two dependent joints with parallel axes move two sides of a triangle. Their variables
  follow from the intersection of two circles.
- `NewtonGroup`: all other variables are computed by Newton's method, started at zero.

The formulas are found by a numeric analysis of the pose with all joints at zero, and of random
poses near it. All loops must be closed at zero. The pose at zero selects the assembly mode.

The method of cutting loops into a tree is by Khalil and Kleinfinger, "Dynamic Modeling of
Closed-Loop Robots and Its Application in Robot Control", International Journal of Robotics Research
6(4), 1987.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynagen.errors import UsageError, suggest_word
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    Dyad,
    LinearRow,
    Loop,
    NewtonGroup,
    RobotDescription,
)
from dynagen.robot.description import find_path as find_links
from dynagen.robot.joints import REVOLUTE
from dynagen.robot.loop_tree import COMPLEX_STEP, RANK, LoopTree, exceed_rounding
from dynagen.robot.names import make_identifier

_GAP = 1e-9  # m, and sine of the angle between axes, of a loop that counts as closed
_GROWTH = 8.0  # largest amplification of rounding errors at zero


def close_loops(
    description: RobotDescription, loops: Sequence[Loop], independent: Sequence[str] = ()
) -> RobotDescription:
    """Return a description whose dependent joints have formulas and no entries of q and v.

    Args:
        description: the tree of links.
        loops: the joints that close loops of the tree.
        independent: names of the links whose joints are independent. By default, they are chosen in
            the order of the links until they determine all other joints.

    Raises:
        UsageError: a frame or joint is unknown; a loop is open or singular with all joints at zero,
            or cannot move; the given joints do not determine the others; or a dependent joint has
            no supported formula.
    """
    if not loops:
        return description
    tree = LoopTree(replace(description, loops=tuple(loops)))
    _require_supported(tree, loops, independent)
    _require_closed(tree, home := np.zeros(len(tree.joints)))
    states = tree.sample()
    jacobian = tree.compute_jacobian(home)
    moved = np.abs(jacobian).max(axis=0) > RANK
    ranks = [_find_rank(each) for each in (jacobian, *tree.compute_jacobian(states))]
    if not len(states) or max(ranks) >= np.sum(moved):
        raise UsageError(
            "closed loops: no joint of the loops can move; check that the z axes of the frames of "
            "a revolute joint are along its axis, or write joint: spherical"
        )
    if ranks[0] < max(ranks):
        raise UsageError(
            "closed loops: the pose with all joints at zero is singular "
            f"(rank {ranks[0]} of the constraints, {max(ranks)} in other poses); move the zeros of "
            "joints to a pose in which no loop is folded flat"
        )
    dependent = _choose_dependent(tree, jacobian, ranks[0], independent)
    if not dependent and independent:
        dependent = _choose_dependent(tree, tree.compute_jacobian(states[0]), ranks[0], independent)
        if dependent:
            raise UsageError(
                f"independent: {', '.join(independent)} do not determine the other joints in the "
                "pose with all joints at zero, which is singular for them: two links of a loop are "
                "in line. Move the zeros of joints to another pose, or choose other joints"
            )
        raise _make_choice_error(tree, jacobian, ranks[0], independent)
    _require_regular(tree, jacobian, dependent)
    return _apply(tree, dependent, states)


def _require_supported(tree: LoopTree, loops: Sequence[Loop], independent: Sequence[str]) -> None:
    description = tree.description
    if description.parameters and not set(description.payload) >= {
        parameter.name for parameter in description.parameters
    }:
        raise UsageError(
            "closed loops: run-time parameters other than a payload are not supported with loops"
        )
    for link in description.links:
        if link.joint.moves and not link.joint.type.has_axis:
            raise UsageError(
                f"closed loops: {link.name} has a {link.joint.type.name} joint, "
                "which is not supported in a robot with loops"
            )
    names = [frame.name for frame in description.frames]
    for loop in loops:
        for name in (loop.first, loop.second):
            if make_identifier(name) not in tree.frames:
                raise UsageError(
                    f"loops: there is no frame `{name}`; the frames are "
                    f"{', '.join(names) or 'none'}{suggest_word(name, names)}"
                )
    for name in independent:
        if name not in tree.joints:
            raise UsageError(
                f"independent: there is no joint of a link `{name}`; the joints are "
                f"{', '.join(tree.joints)}{suggest_word(name, tree.joints)}"
            )


def _require_closed(tree: LoopTree, home: Array) -> None:
    """Raise an error unless all loops are closed with all joints at zero."""
    poses = tree.compute_poses(home)
    for loop in tree.description.loops:
        near, far = (tree.compute_frame(name, poses) for name in (loop.first, loop.second))
        gap = float(np.linalg.norm(near[:3, 3] - far[:3, 3]))
        if gap > _GAP:
            raise UsageError(
                f"the loop between {loop.first} and {loop.second} is open by {gap:.3g} m with all "
                "joints at zero; choose lengths and offsets of joints that close it"
            )
        tilt = float(np.linalg.norm(np.cross(near[:3, 2], far[:3, 2])))
        if loop.joint == "fixed":
            tilt = float(np.linalg.norm(near[:3, :3] - far[:3, :3]))
            if tilt > _GAP:
                raise UsageError(
                    f"the loop between {loop.first} and {loop.second} is fixed, but the axes of "
                    f"the frames differ by {tilt:.3g} with all joints at zero; rotate a frame, or "
                    "write another joint"
                )
        if loop.joint == "revolute" and tilt > _GAP:
            raise UsageError(
                f"the loop between {loop.first} and {loop.second} is revolute, but the z axes of "
                f"the frames differ by a sine of {tilt:.3g} with all joints at zero; rotate a "
                "frame, or write joint: spherical"
            )


def _require_regular(tree: LoopTree, jacobian: Array, dependent: Sequence[str]) -> None:
    """Raise an error if the pose with all joints at zero is nearly singular."""
    places = [tree.joints.index(name) for name in dependent]
    eye = np.eye(len(tree.joints))[places]
    poses = tree.compute_poses(np.multiply(1j * COMPLEX_STEP, eye))
    points = [tree.compute_frame(loop.first, poses)[..., :3, 3] for loop in tree.description.loops]
    for loop in tree.description.loops:
        ways = (_list_joints(tree, name) for name in (loop.first, loop.second))
        points += [poses[name][0][..., :3, 3] for name in set.symmetric_difference(*map(set, ways))]
    moved = [point.imag.T / COMPLEX_STEP for point in np.broadcast_arrays(*points)]
    arm = np.linalg.norm(moved, axis=1).max()
    rows = {"spherical": (), "revolute": (1, 1), "fixed": (1, 1, 1)}
    units = [unit for loop in tree.description.loops for unit in (arm, arm, arm, *rows[loop.joint])]
    inverse = np.linalg.pinv(jacobian[:, places]) * units
    growth = max(np.linalg.norm(each @ inverse, ord=2) for each in moved) / arm
    if growth > _GROWTH:
        raise UsageError(
            "closed loops: the pose with all joints at zero is nearly singular: the joints of "
            f"{', '.join(dependent)} amplify rounding errors {growth:.0f} times (supported: up to "
            "8 "
            "times, as with two links 7 degrees from a straight line). Move the zeros of joints to "
            "another pose, or choose other `independent` joints"
        )


def _find_rank(jacobian: Array) -> int:
    values = np.linalg.svd(jacobian, compute_uv=False)
    return int(np.sum(exceed_rounding(values)))


def _choose_dependent(
    tree: LoopTree, jacobian: Array, rank: int, independent: Sequence[str]
) -> tuple[str, ...]:
    """Return the names of the dependent joints; empty if `independent` does not determine them."""
    in_loops = _list_moved(tree, jacobian)
    chosen = [name for name in independent if name in in_loops]
    if not independent:
        # The first joints, in the order of links.
        for name in in_loops:
            rest = [other for other in in_loops if other not in (*chosen, name)]
            if len(rest) >= rank and _has_rank(tree, jacobian, rest, rank):
                chosen.append(name)
    rest = [name for name in in_loops if name not in chosen]
    return tuple(rest) if len(rest) == rank and _has_rank(tree, jacobian, rest, rank) else ()


def _list_moved(tree: LoopTree, jacobian: Array) -> list[str]:
    """Return the names of the joints whose motion opens a loop."""
    moved = np.abs(jacobian).max(axis=0) > RANK
    return [name for name, moves in zip(tree.joints, moved, strict=True) if moves]


def _has_rank(tree: LoopTree, jacobian: Array, names: Sequence[str], rank: int) -> bool:
    """Return whether the Jacobian's columns for `names` have the given rank."""
    return _find_rank(jacobian[:, [tree.joints.index(name) for name in names]]) == rank


def _make_choice_error(
    tree: LoopTree, jacobian: Array, rank: int, independent: Sequence[str]
) -> UsageError:
    """Return the error that the user's independent joints do not determine the others."""
    in_loops = _list_moved(tree, jacobian)
    dependent = _choose_dependent(tree, jacobian, rank, ())
    return UsageError(
        f"independent: {', '.join(independent)} do not determine the other joints of the loops; "
        f"{len(in_loops) - rank} of {', '.join(in_loops)} are independent, for example "
        f"{', '.join(name for name in in_loops if name not in dependent)}"
    )


def _apply(tree: LoopTree, dependent: tuple[str, ...], states: Array) -> RobotDescription:
    """Return the description in which every dependent joint has a formula."""
    linear = dict(_find_linear(tree, dependent, states))
    links, closure = [], []
    for link in tree.description.links:
        terms = linear.get(link.name)
        if terms is not None and len(terms) == 1:
            ((leader, sign),) = terms
            joint = replace(link.joint, mimics=leader, ratio=Exact(sign))
        else:
            joint = replace(link.joint, is_dependent=link.name in dependent)
            if terms is not None:
                closure.append(LinearRow(link.name, terms))
        links.append(replace(link, joint=joint))
    steps = tuple(_find_closures(tree, tuple(name for name in dependent if name not in linear)))
    turned = [
        name for step in steps if isinstance(step, Dyad) for name in (step.first, step.second)
    ]
    for link in tree.description.links:
        if link.joint.mimics in turned:
            raise UsageError(
                f"the joint of {link.name} follows {link.joint.mimics}, which the loops determine "
                "by intersections of circles; let it follow an independent joint"
            )
    return replace(
        tree.description,
        links=number_coordinates(links),
        closure=(*closure, *steps),
        notes=(*tree.description.notes, *_describe(tree, dependent, linear, steps)),
    )


def _find_linear(
    tree: LoopTree, dependent: Sequence[str], states: Array
) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Yield the dependent joints whose variable is a sum of independent variables, with signs.

    Each is yielded with the terms of its sum: pairs of an independent joint and 1 or -1.
    """
    others = [name for name in tree.joints if name not in dependent]
    free = states[:, [tree.joints.index(name) for name in others]]
    for name in dependent:
        own = states[:, tree.joints.index(name)]
        factors = np.linalg.lstsq(free, own, rcond=None)[0]
        signs = np.rint(factors)
        if np.abs(free @ signs - own).max() < 1e-9 and np.abs(signs).max() <= 1:
            yield (
                name,
                tuple(
                    (other, int(sign)) for other, sign in zip(others, signs, strict=True) if sign
                ),
            )


def _find_closures(tree: LoopTree, dependent: tuple[str, ...]) -> Iterator[Dyad | NewtonGroup]:
    """Yield the formulas of joints that closed loops determine.

    Dyads, which solve two joints by a triangle, come first. Then Newton groups compute all other
    joints by Newton's method.
    """
    left = list(dependent)
    paths = {
        loop: {*_list_joints(tree, loop.first)} ^ {*_list_joints(tree, loop.second)}
        for loop in tree.description.loops
    }
    others = []
    for loop, path in paths.items():
        own = [name for name in left if name in path]
        if len(own) == 2 and (dyad := _make_dyad(tree, loop, own, path)):
            yield dyad
            left = [name for name in left if name not in own]
        elif own:
            others.append(loop)
    groups: list[tuple[set[str], list[Loop]]] = []
    for loop in others:
        names, loops = {name for name in left if name in paths[loop]}, [loop]
        # Loops with a joint in common are solved together.
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names, loops = names | group[0], group[1] + loops
        if names:
            groups.append((names, loops))
    for names, loops in groups:
        own = [name for name in left if name in names]
        part = replace(tree, description=replace(tree.description, loops=tuple(loops)))
        jacobian = part.compute_jacobian(np.zeros(len(tree.joints)))
        if _find_rank(jacobian[:, [tree.joints.index(name) for name in own]]) < len(own):
            raise UsageError(
                f"closed loops: the loops of {', '.join(own)} do not determine these joints; "
                "choose other `independent` joints"
            )
        yield NewtonGroup(tuple(own), tuple(loops))


def _list_joints(tree: LoopTree, frame: str) -> list[str]:
    """Return the names of the moving links on the path from a frame to the base."""
    path = find_links(tree.links, tree.frames[make_identifier(frame)].link)
    return [link.name for link in path if link.joint.moves]


def _make_dyad(tree: LoopTree, loop: Loop, own: Sequence[str], path: set[str]) -> Dyad | None:
    """Return the dyad formula of the two dependent joints `own` of a loop, or None.

    `path` contains the names of all joints of the loop. The result is None if the joints do not
    move two sides of a triangle about parallel axes.
    """
    poses = tree.compute_poses(np.zeros(len(tree.joints)))
    axes = {name: poses[name][0][:3, :3] @ tree.constants[name][2] for name in path}
    z = axes[own[0]]
    if any(
        tree.links[name].joint.type != REVOLUTE or np.linalg.norm(np.cross(axes[name], z)) > _GAP
        for name in path
    ):
        return None
    near, far = loop.first, loop.second
    if own[0] not in _list_joints(tree, near):
        near, far = far, near
    ends = [_list_joints(tree, name) for name in (near, far)]
    point = {name: poses[name][0][:3, 3] for name in own}
    target = tree.compute_frame(far, poses)[:3, 3]
    if own[1] in ends[0]:
        # Both joints on one branch: the arms are first -> second -> the joint that closes the loop.
        second, first = (name for name in ends[0] if name in own)
        if ends[0][:2] != [second, first]:
            return None
        arms = point[second] - point[first], target - point[second]
    else:
        first, second = own
        if (ends[0][0], ends[1][0]) != (first, second):
            return None
        arms = target - point[first], point[second] - target
    side = float(np.dot(np.cross(*arms), axes[first]))
    return Dyad(first, second, near, far, -1 if side > 0 else 1)


def _describe(
    tree: LoopTree,
    dependent: Sequence[str],
    linear: Mapping[str, tuple[tuple[str, int], ...]],
    steps: Sequence[Dyad | NewtonGroup],
) -> Iterator[str]:
    """Yield the notes on the loops: independent joints, and the formulas of dependent joints."""
    for loop in tree.description.loops:
        yield f"a {loop.joint} joint closes a loop between {loop.first} and {loop.second}"
    free = [name for name in tree.joints if name not in dependent]
    yield f"independent joints: {', '.join(free)}"
    for name, terms in linear.items():
        signs = "".join(f" {'-' if sign < 0 else '+'} q_{other}" for other, sign in terms)
        yield f"the loops determine {name} exactly: q ={signs or ' 0'}"
    groups = [step for step in steps if isinstance(step, NewtonGroup)]
    iterated = [name for group in groups for name in group.links]
    circles = [name for name in dependent if name not in linear and name not in iterated]
    if circles:
        yield f"the loops determine {', '.join(circles)} by intersections of circles"
    for group in groups:
        yield (
            f"the loops determine {', '.join(group.links)} by {group.steps} Newton steps from zero"
        )
