"""Operations of the parts of a published recursion, printed and counted, for one joint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from dynagen.apps.literature.conventional import ALGORITHMS, record_conventional
from dynagen.ir.cost import OperationCount, count_instructions
from dynagen.ir.program import Instruction
from dynagen.resources import Record, read_records
from dynagen.robot.loading import parse_robot

Counts = Mapping[str, tuple[int, int]]
"""Multiplications and additions by the name of a part."""


class PrintedParts(Record):
    """A printed table of counts for one joint.

    Attributes:
        algorithm: name of the algorithm in `ALGORITHMS`.
        joint: revolute or prismatic.
        parts: multiplications and additions of each part.
        total: the printed totals.
    """

    algorithm: str
    joint: str
    parts: dict[str, tuple[int, int]]
    total: tuple[int, int]


class PublishedParts(Record):
    """All printed tables."""

    tables: tuple[PrintedParts, ...]


@cache
def read_parts() -> tuple[PrintedParts, ...]:
    """Read the printed tables."""
    return read_records(PublishedParts, "parts").tables


def count_parts(algorithm: str, joint: str) -> Counts:
    """Count the operations that one more joint adds to each part of a recursion.

    Links have principal axes in the reformulated algorithm, as its table has them, and any
    inertia in the other.
    """
    few, many = (_count_parts_of_chain(algorithm, joint, links) for links in (2, 3))
    return {
        part: (operations.mul - few[part].mul, operations.add - few[part].add)
        for part, operations in many.items()
        if part
    }


def _count_parts_of_chain(algorithm: str, joint: str, links: int) -> dict[str, OperationCount]:
    (known,) = (each for each in ALGORITHMS if each.name == algorithm)
    product = 0 if algorithm.startswith("reformulated") else 1
    constant = "theta" if joint == "prismatic" else "d"
    lines = ["name: general", f"convention: {known.convention}", "gravity: [0, 0, -1]", "links:"]
    for link in range(links):
        lines.append(
            f"- {{name: link_{link}, joint: {joint}, dh: {{alpha: pi/2, a: 1, {constant}: 1}}, "
            f"mass: 0, com: [0, 0, 0], inertia: [1, 1, 1, {product}, {product}, {product}]}}"
        )
    robot = parse_robot("\n".join(lines), "general.yaml")
    program = record_conventional(known, robot)
    parts: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in program.instructions:
        parts[program.sections[instruction.section]].append(instruction)
    return {part: count_instructions(instructions) for part, instructions in parts.items()}


def tabulate_parts() -> str:
    """Return the table of all parts, printed -> counted, as Markdown."""
    tables = read_parts()
    counted = [count_parts(table.algorithm, table.joint) for table in tables]
    titles = [
        f"{'I' if table.algorithm.startswith('reformulated') else 'II'}, {table.joint}, {kind}"
        for table in tables
        for kind in ("M", "A")
    ]
    lines = [["part", *titles], ["---"] * (len(titles) + 1)]
    for part in tables[0].parts:
        cells = [
            _cell(table.parts[part][kind], counts.get(part, (0, 0))[kind])
            for table, counts in zip(tables, counted, strict=True)
            for kind in (0, 1)
        ]
        lines.append([part, *cells])
    totals = [
        _cell(table.total[kind], sum(each[kind] for each in counts.values()))
        for table, counts in zip(tables, counted, strict=True)
        for kind in (0, 1)
    ]
    lines.append(["total", *totals])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(printed: int, counted: int) -> str:
    return str(printed) if printed == counted else f"{printed} -> {counted}"
