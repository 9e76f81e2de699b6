"""Structure of a robot: what has no effect on any joint force, or the same effect as something else, found by fingerprints.

Inverse dynamics, gravity forces and regressor are recorded for the robot as described and evaluated exactly at random points
modulo a prime (`ir.fingerprints`), once more for every joint with another position or acceleration of that joint. So what is
said is true for all states, not only for those that were tried; a chance of 1e-50 is left that it is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from dynagen.dynamics.functions.gravity_forces import GRAVITY_FORCES
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.regressor import REGRESSOR
from dynagen.ir.fingerprints import Fingerprints
from dynagen.ir.program import Element, Program
from dynagen.ir.residues import FIELD, Fingerprint
from dynagen.model.model import RobotModel

_MOST_JOINTS = 30  # of robots that are looked at: that takes two seconds then


def find_structure(model: RobotModel) -> tuple[str, ...]:
    """The structure of a robot, in sentences; none of floating or very long ones."""
    if model.floats or not 0 < model.nv <= _MOST_JOINTS:
        return ()
    names = [body.name for body in model.coordinates]
    return (*_of_joints(model, names), *_of_gravity(model, names), *_of_parameters(model))


def _of_joints(model: RobotModel, names: list[str]) -> list[str]:
    program = INVERSE_DYNAMICS.build(model)
    forces = _results(program)
    by_position, by_acceleration = (
        [_changed(forces, _results(program, Element(argument, joint))) for joint in range(len(names))]
        for argument in ("q", "qdd")
    )
    found = []
    without = [name for name, changed in zip(names, by_position, strict=True) if not changed]
    if without:
        found.append(f"no joint force depends on the position of {_listed(without)}")
    fixed = [name for joint, name in enumerate(names) if not any(joint in changed for changed in by_position)]
    if fixed:
        found.append(f"at no position of the robot is the force of {_listed(fixed)} another than at q = 0, motion being equal")
    pairs = combinations(range(len(names)), 2)
    loose = [f"{names[i]} and {names[j]}" for i, j in pairs if j not in by_acceleration[i]]
    if loose:
        found.append(f"an acceleration of one takes no force of the other: {'; '.join(loose)}")
    return found


def _of_gravity(model: RobotModel, names: list[str]) -> list[str]:
    free = [name for name, force in zip(names, _results(GRAVITY_FORCES.build(model)), strict=True) if not any(force)]
    return [f"gravity takes no force of {_listed(free)}, at any position"] if free else []


def _of_parameters(model: RobotModel) -> list[str]:
    """Columns of the regressor that are zero, equal or opposite."""
    program = REGRESSOR.build(model)
    parameters = program.outputs[0].argument.columns
    elements = _results(program)
    columns: dict[tuple[Fingerprint, ...], list[str]] = {}
    for place, parameter in enumerate(parameters):
        column = tuple(elements[place :: len(parameters)])
        opposite = tuple(map(FIELD.opposite, column))
        known = opposite in columns and any(map(any, column))
        columns.setdefault(opposite if known else column, []).append(f"-{parameter}" if known else parameter)
    found = []
    for column, alike in columns.items():
        if not any(map(any, column)):
            found.append(f"no joint force depends on {_listed(alike)}")
        elif len(alike) > 1:
            found.append(f"joint forces depend only on the sum of {_listed(alike, 'and')}")
    return sorted(found)


def _results(program: Program, other: Element | None = None) -> list[Fingerprint]:
    """The fingerprints of all results; with another value of one input, if one is given."""
    prints = Fingerprints()
    for instruction in program.instructions:
        asked = instruction
        if other is not None and instruction.payload == other:
            asked = instruction._replace(payload=Element("another " + other.argument, other.index))
        prints.append(instruction, prints.of(asked))
    return [prints[position] for position in program.result_values()]


def _changed(before: list[Fingerprint], after: list[Fingerprint]) -> set[int]:
    return {place for place, (x, y) in enumerate(zip(before, after, strict=True)) if x != y}


def _listed(names: Iterable[str], joined: str = "or") -> str:
    *others, last = names
    return f"{', '.join(others)} {joined} {last}" if others else last
