"""Printed and counted operations per joint, for each part of published recursions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from dynagen.apps.literature.conventional import ALGORITHMS, record_conventional
from dynagen.ir.cost import OperationCount, count_instructions
from dynagen.ir.program import Instruction
from dynagen.resources import Record, read_records
from dynagen.robot.loading import parse_robot

Counts = Mapping[str, tuple[int, int]]
"""Numbers of multiplications and additions of each part of a recursion, by name of the part."""


class PrintedParts(Record):
    """Printed table of operation counts for one joint.

    Attributes:
        title: heading of the table's columns.
        algorithm: name of the algorithm in `ALGORITHMS`.
        joint: type of the joint, revolute or prismatic.
        parts: printed numbers of multiplications and additions of each part of the recursion, by
            name.
        total: printed total numbers of multiplications and additions.
        principal: True if the table assumes that the link axes are principal axes of inertia.
    """

    title: str
    algorithm: str
    joint: str
    parts: dict[str, tuple[int, int]]
    total: tuple[int, int]
    principal: bool = False


class PublishedParts(Record):
    """Tables of operation counts that publications print, as read from a file.

    Attributes:
        tables: tables of operation counts per joint, by publication.
    """

    tables: dict[str, tuple[PrintedParts, ...]]


@cache
def read_parts() -> Mapping[str, tuple[PrintedParts, ...]]:
    """Read the printed tables of operation counts per joint; return them by publication."""
    return read_records(PublishedParts, "parts").tables


def count_parts(table: PrintedParts) -> Counts:
    """Count the operations that one more joint adds to each part of a published recursion.

    Args:
        table: printed table, which names the algorithm and the type of the joint.

    Returns:
        Numbers of multiplications and additions by name of the part.
    """
    few, many = (_count_parts_of_chain(table, links) for links in (2, 3))
    return {
        part: (operations.mul - few[part].mul, operations.add - few[part].add)
        for part, operations in many.items()
        if part
    }


def _count_parts_of_chain(table: PrintedParts, links: int) -> dict[str, OperationCount]:
    (known,) = (each for each in ALGORITHMS if each.name == table.algorithm)
    joint, product = table.joint, 0 if table.principal else 1
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


def tabulate_parts(tables: Sequence[PrintedParts]) -> str:
    """Return a Markdown table of operations per joint, as printed and as counted.

    The columns of the given tables are side by side. A cell such as `8 -> 9` contains the printed
    and the counted number, if they differ.
    """
    counted = [count_parts(table) for table in tables]
    titles = [f"{table.title}, {kind}" for table in tables for kind in ("M", "A")]
    lines = [["part", *titles], ["---"] * (len(titles) + 1)]
    for part in tables[0].parts | tables[-1].parts:
        cells = [
            _cell(table.parts[part][kind], counts.get(part, (0, 0))[kind])
            if part in table.parts
            else ""
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
