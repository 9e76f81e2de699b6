"""Fewest operations that a long search has found for each robot and function.

A cell is `operations at the optimiser's default effort -> fewest found`; the programs found are
proved. Small programs are searched first. The table is written between its markers in
docs/optimizer.md after each search, so a run may be stopped at any time. The result of an earlier
run is kept unless the new result has fewer operations.

    python benchmarks/records.py [--budget N] [ROBOT[:FUNCTION] ...]
"""

from __future__ import annotations

from argparse import ArgumentParser
from itertools import product
from pathlib import Path

from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot

PAGE = Path(__file__).parents[1] / "docs" / "optimizer.md"
BEGIN, END = "<!-- records: written by benchmarks/records.py -->\n", "<!-- end of records -->\n"
ROBOTS = (
    "pendulum",
    "planar3",
    "scara",
    "two_arm",
    "puma560_listing_3dof",
    "stanford_listing_3dof",
    "puma260",
    "puma560_listing",
    "stanford_listing",
    "puma560",
    "stanford",
    "puma_saha",
    "stanford_saha",
    "ur5",
    "panda",
    "general6",
)
FUNCTIONS = (
    "inverse_dynamics",
    "gravity_forces",
    "mass_matrix",
    "forward_dynamics",
    "coriolis_matrix",
    "inverse_dynamics_derivatives+mass_matrix",
    "regressor",
    "base_regressor",
)
STATES = 200
"""Number of states of each proof."""

Cells = dict[tuple[str, str], tuple[int, int]]
"""Mapping from (robot, function) to two operation counts: at the default effort, and the fewest."""


def read_cells(page: str) -> Cells:
    """Read the operation counts in the table of a page; empty if the page has no table yet."""
    table = page.partition(BEGIN)[2].partition(END)[0].splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table
        if line.startswith("|")
    ]
    if not rows:
        return {}
    (_, *functions), _, *robots = rows
    return {
        (robot, function): (int(default), int(found))
        for robot, *cells in robots
        for function, cell in zip(functions, cells, strict=True)
        for default, _, found in [cell.partition(" -> ")]
        if found
    }


def with_cells(page: str, cells: Cells) -> str:
    """Return the text of a page, with a new table from `cells` in place of its old table."""
    functions = [
        function for function in FUNCTIONS if any((robot, function) in cells for robot in ROBOTS)
    ]
    lines = [["robot", *functions], ["---"] * (1 + len(functions))]
    for robot in ROBOTS:
        found = [cells.get((robot, function)) for function in functions]
        if any(found):
            lines.append([robot, *(f"{cell[0]} -> {cell[1]}" if cell else "" for cell in found)])
    before, _, rest = page.partition(BEGIN)
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}"


def operations(robot: str, function: str, optimize: str, budget: int) -> int:
    """Return the number of operations of one call; a program found by a search is proved first.

    Args:
        robot: name of the robot.
        function: name of the function.
        optimize: effort: none, default or max.
        budget: number of programs that a search may evaluate.
    """
    searches = optimize == "max"
    asked = Settings(
        functions=(function,), optimize=optimize, budget=budget, verify=searches, states=STATES
    )
    generation = generate(load_robot(robot), asked)
    assert all(proof.passed for proof in generation.proofs.values())
    return generation.functions[0].operations.total


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--budget", type=int, default=20000, help="budget of each search [default: 20000]"
    )
    parser.add_argument(
        "cells",
        nargs="*",
        metavar="ROBOT[:FUNCTION]",
        help="robot, or robot and function, to search; for example panda:mass_matrix [default: "
        "all]",
    )
    asked = parser.parse_args()
    chosen = [
        (robot, function)
        for robot, function in product(ROBOTS, FUNCTIONS)
        if not asked.cells or {robot, f"{robot}:{function}"}.intersection(asked.cells)
    ]
    defaults = {cell: operations(*cell, "default", 1) for cell in chosen}
    for cell in sorted(chosen, key=defaults.__getitem__):
        found = operations(*cell, "max", asked.budget)
        page = PAGE.read_text(encoding="utf-8")
        cells = read_cells(page)
        cells[cell] = defaults[cell], min(found, cells.get(cell, (0, found))[1])
        PAGE.write_text(with_cells(page, cells), encoding="utf-8")
        print(f"{': '.join(cell)}: {defaults[cell]} -> {found}", flush=True)


if __name__ == "__main__":
    main()
