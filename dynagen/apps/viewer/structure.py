"""Search for joints and parameters of a robot that have no effect, or equal effects.

Programs for inverse dynamics, gravity forces and the regressor of the robot are evaluated exactly
at random points modulo primes. The results are fingerprints of the functions
(`dynagen.ir.fingerprints`). For each joint, inverse dynamics is evaluated again with another
position or acceleration of the joint. Functions with equal fingerprints are taken as equal for all
states: the probability of an error is below 1e-48.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from dynagen.dynamics.functions.inverse_dynamics import GRAVITY_FORCES, INVERSE_DYNAMICS
from dynagen.dynamics.functions.regressors import REGRESSOR
from dynagen.ir.fingerprints import FIELD, Fingerprint, Fingerprints
from dynagen.ir.program import Element, Program
from dynagen.robot.model.model import RobotModel

_MOST_JOINTS = 30  # the structure of a robot with 30 joints takes two seconds


def find_structure(model: RobotModel) -> tuple[str, ...]:
    """Find joint positions and inertial parameters on which no joint force depends.

    Also find joints whose gravity force is always zero, pairs of joints without an inertial
    coupling, and parameters that affect the joint forces only by their sum.

    Returns:
        Sentences for the user. The result is empty for robots with a floating base, with spherical
        joints or with more than 30 joints.
    """
    if model.has_turning_axes or not 0 < model.nv <= _MOST_JOINTS:
        return ()
    names = [body.name for body in model.coordinates]
    return (
        *_find_independent_joints(model, names),
        *_find_balanced_joints(model, names),
        *_find_redundant_parameters(model),
    )


def _find_independent_joints(model: RobotModel, names: list[str]) -> list[str]:
    """Find positions without effect, joint forces that depend on no position, and uncoupled joints.

    A joint position has no effect if no joint force depends on it. Two joints are uncoupled if
    their element of the mass matrix is zero at all positions. The results are sentences for the
    user.
    """
    program = INVERSE_DYNAMICS.build(model)
    forces = _evaluate(program)
    # For each joint: the numbers of the joint forces that change with its position (acceleration).
    by_position, by_acceleration = (
        [
            _find_changes(forces, _evaluate(program, Element(argument, joint)))
            for joint in range(len(names))
        ]
        for argument in ("q", "qdd")
    )
    sentences = []
    without = [name for name, changed in zip(names, by_position, strict=True) if not changed]
    if without:
        sentences.append(f"no joint force depends on the position of {_join(without)}")
    fixed = [
        name
        for joint, name in enumerate(names)
        if not any(joint in changed for changed in by_position)
    ]
    if fixed:
        sentences.append(f"the force of {_join(fixed)} does not depend on any position")
    pairs = combinations(range(len(names)), 2)
    loose = [f"{names[i]} and {names[j]}" for i, j in pairs if j not in by_acceleration[i]]
    if loose:
        sentences.append(
            f"the mass matrix is zero between these joints at all positions: {'; '.join(loose)}"
        )
    return sentences


def _find_balanced_joints(model: RobotModel, names: list[str]) -> list[str]:
    """Find joints whose gravity force is zero at all positions of the robot."""
    balanced = [
        name
        for name, force in zip(names, _evaluate(GRAVITY_FORCES.build(model)), strict=True)
        if not any(force)
    ]
    if not balanced:
        return []
    return [f"the gravity force of {_join(balanced)} is zero at all positions"]


def _find_redundant_parameters(model: RobotModel) -> list[str]:
    """Find inertial parameters whose columns of the regressor are zero, equal or opposite."""
    program = REGRESSOR.build(model)
    parameters = program.outputs[0].argument.columns
    elements = _evaluate(program)
    columns: dict[tuple[Fingerprint, ...], list[str]] = {}
    for place, parameter in enumerate(parameters):
        column = tuple(elements[place :: len(parameters)])
        opposite = tuple(map(FIELD.negate, column))
        known = opposite in columns and any(map(any, column))
        columns.setdefault(opposite if known else column, []).append(
            f"-{parameter}" if known else parameter
        )
    sums = sorted(
        " + ".join(alike).replace("+ -", "- ")
        for column, alike in columns.items()
        if len(alike) > 1 and any(map(any, column))
    )
    sentences = []
    if sums:
        kind = "these sums of parameters, not on the single parameters"
        if len(sums) == 1:
            kind = "the sum of these parameters, not on the single parameters"
        sentences.append(f"joint forces depend only on {kind}: {'; '.join(sums)}")
    unused = [
        name for column, alike in columns.items() if not any(map(any, column)) for name in alike
    ]
    if unused:
        sentences.append(
            f"no joint force depends on {'; '.join(_group_by_link(unused, parameters))}"
        )
    return sentences


def _group_by_link(names: Sequence[str], parameters: Sequence[str]) -> Iterator[str]:
    """Yield short phrases that name the parameters in `names`, such as `hand.mx`.

    If `names` contains all of a link's parameters (in the list `parameters`), the phrase names only
    the link. One phrase for all such links comes first, then one phrase for each other link.
    """

    def select(link: str, among: Sequence[str]) -> list[str]:
        return [name.removeprefix(f"{link}.") for name in among if name.rpartition(".")[0] == link]

    links = dict.fromkeys(name.rpartition(".")[0] for name in names)
    whole = [link for link in links if len(select(link, names)) == len(select(link, parameters))]
    if whole:
        yield f"any parameter of {_join(whole)}"
    for link in links:
        if link not in whole:
            yield f"{_join(select(link, names))} of {link}"


def _evaluate(program: Program, other: Element | None = None) -> list[Fingerprint]:
    """Return the fingerprints of the entries of a program's first output.

    Inputs have the same random values in each call, except the input element `other` (if given),
    which has a different random value.
    """
    prints = Fingerprints()
    for instruction in program.instructions:
        evaluated = instruction
        if other is not None and instruction.payload == other:
            # A fingerprint depends on the name of an input; a new name gives a new random value.
            evaluated = instruction._replace(
                payload=Element("another " + other.argument, other.index)
            )
        prints.append(instruction, prints.compute(evaluated))
    return [prints[position] for position in program.outputs[0].values]


def _find_changes(before: list[Fingerprint], after: list[Fingerprint]) -> set[int]:
    """Return the positions at which two lists of fingerprints differ."""
    return {place for place, (x, y) in enumerate(zip(before, after, strict=True)) if x != y}


def _join(names: Iterable[str]) -> str:
    """Join names as in `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
