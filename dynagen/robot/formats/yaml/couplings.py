"""Reading of couplings from YAML descriptions: motors that move several joints together."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.errors import suggest_word
from dynagen.numbers.exact import Exact
from dynagen.robot.description import Coupling, LinkDescription
from dynagen.robot.formats.yaml.document import Path
from dynagen.robot.formats.yaml.quantities import YamlQuantities
from dynagen.robot.formats.yaml.schema import CouplingSchema
from dynagen.robot.matrices import invert


def read_couplings(
    couplings: Sequence[CouplingSchema],
    links: Sequence[LinkDescription],
    quantities: YamlQuantities,
) -> tuple[Coupling, ...]:
    """Return the couplings of a robot's motors and joints.

    Args:
        couplings: the fields of the file.
        links: all links of the robot.
        quantities: reader of numbers, which collects faults.
    """
    taken: set[str] = set()
    read = []
    for number, coupling in enumerate(couplings):
        path: Path = ("couplings", number)
        _check_joints(coupling, links, taken, path, quantities)
        taken |= set(coupling.joints)
        matrix = tuple(
            tuple(
                quantities.read_number(text, (*path, "matrix", row, column))
                for column, text in enumerate(texts)
            )
            for row, texts in enumerate(coupling.matrix)
        )
        inertias = tuple(
            quantities.read_number(text, (*path, "inertia", motor))
            for motor, text in enumerate(coupling.inertia)
        )
        _check_numbers(matrix, inertias, len(coupling.joints), path, quantities)
        read.append(Coupling(tuple(coupling.joints), matrix, inertias))
    return tuple(read)


def _check_joints(
    coupling: CouplingSchema,
    links: Sequence[LinkDescription],
    taken: set[str],
    path: Path,
    quantities: YamlQuantities,
) -> None:
    """Report coupled joints that are unknown, named twice, without axis or with their own motor."""
    known = {link.name: link for link in links}
    for place, name in enumerate(coupling.joints):
        where = (*path, "joints", place)
        link = known.get(name)
        if link is None:
            quantities.faults.add(where, f"unknown link `{name}`{suggest_word(name, known)}")
        elif name in taken or name in coupling.joints[:place]:
            quantities.faults.add(where, f"the joint of {name} is coupled twice: name it once")
        elif not link.joint.type.has_axis or link.joint.mimics:
            quantities.faults.add(
                where,
                f"the joint of {name} cannot be coupled; expected a revolute, prismatic or helical "
                "joint without `mimic`",
            )
        elif link.motor_inertia or link.elasticity is not None:
            quantities.faults.add(
                where,
                f"{name} has a motor of its own: remove `motor`, and write the inertias of the "
                "coupled motors into `inertia`",
            )


def _check_numbers(
    matrix: tuple[tuple[Exact, ...], ...],
    inertias: tuple[Exact, ...],
    count: int,
    path: Path,
    quantities: YamlQuantities,
) -> None:
    """Report a coupling matrix without inverse, and a wrong number of motor inertias.

    `count` is the number of coupled joints, which is the number of motors.
    """
    if len(inertias) != count:
        quantities.faults.add(
            (*path, "inertia"), f"expected {count} inertias, found {len(inertias)}"
        )
    if len(matrix) != count or any(len(row) != count for row in matrix):
        quantities.faults.add(
            (*path, "matrix"),
            f"expected {count} rows of {count} numbers, one row per joint and one column per motor",
        )
    elif not all(number.is_known for row in matrix for number in row):
        quantities.faults.add(
            (*path, "matrix"), "a coupling cannot depend on run-time parameters: remove `runtime`"
        )
    elif invert(matrix) is None:
        quantities.faults.add(
            (*path, "matrix"),
            "the matrix has no inverse; expected motors with linearly independent columns",
        )
