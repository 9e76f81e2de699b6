"""The reviewed table of operation counts, tests/golden/counts.csv: a row for each function of a
robot in a variant.

A variant is `default`, `payload` (a robot with a payload) or `floating` (a robot with a floating
base), all at default effort, or `max` (a short search).

`tests/golden/test_counts.py` compares the table with the generated functions. Tests of marks,
bounds and published figures read it here, so that a robot's functions are generated once.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from dynagen.ir.cost import OperationCount
from dynagen.optimizer.compile import CompiledFunction
from dynagen.resources import list_bundled_robots

TABLE = Path(__file__).parents[1] / "golden" / "counts.csv"
_WITH_FRICTION = ("regressor_with_friction", "base_regressor_with_friction")
_UNCOMMON = (
    "jacobian_derivative",
    "operational_inertia",
    "christoffel",
    "forward_kinematics@all",
    "centroidal_momentum_derivatives",
)
_STEPS = ("step", "step_euler", "step_euler_derivatives")
_PRODUCTS = (
    "inverse_dynamics_vjp",
    "inverse_dynamics_jvp",
    "forward_dynamics_vjp",
    "forward_dynamics_jvp",
)
_FURTHER = {
    "panda": (
        *_UNCOMMON,
        "mass_matrix+gravity_forces",
        "inverse_dynamics_derivatives+mass_matrix",
        *_PRODUCTS,
    ),
    "planar3": (*_WITH_FRICTION, *_STEPS, "mass_matrix+gravity_forces"),
    "puma260": (*_WITH_FRICTION, "mass_matrix+gravity_forces"),
    "puma560": (
        *_WITH_FRICTION,
        *_STEPS,
        *_UNCOMMON,
        "mass_matrix+gravity_forces",
        "inverse_dynamics_derivatives+mass_matrix",
        "inverse_dynamics+mass_matrix",
        "inverse_dynamics+base_regressor",
        *_PRODUCTS,
        "inverse_dynamics_hessian",
    ),
    "scara": (*_WITH_FRICTION, "mass_matrix+jacobian+forward_kinematics"),
    "stanford_listing": ("regressor+inverse_dynamics",),
}
_CHOSEN = {"g1": ("inverse_dynamics", "gravity_forces", "forward_dynamics")}  # `all` takes a minute
REQUESTS = {
    robot: _CHOSEN.get(robot, ("all", *_FURTHER.get(robot, ()))) for robot in list_bundled_robots()
}
"""What is in the table of a robot at default effort: every function, or some of a large robot's,
and what is claimed to cost little."""
SEARCHED = {
    "panda": ("mass_matrix",),
    "puma260": ("mass_matrix+gravity_forces", "coriolis_forces"),
    "stanford_listing": ("inverse_dynamics",),
    "ur5": ("inverse_dynamics", "coriolis_matrix"),
}
"""What is in the table after a short search."""
BUDGETS = {"panda": 120, "puma260": 60, "stanford_listing": 60, "ur5": 300}
"""How short it is: programs that the search looks at."""
WITH_PAYLOAD = {
    "panda": (
        "inverse_dynamics",
        "mass_matrix",
        "forward_dynamics",
        "inverse_dynamics_derivatives",
    ),
    "puma260": ("mass_matrix+gravity_forces", "coriolis_forces"),
    "puma560": (
        "inverse_dynamics",
        "mass_matrix",
        "forward_dynamics",
        "inverse_dynamics_derivatives",
    ),
}
"""What is in the table of robots with `payload: true`, at default effort."""
FLOATING = {
    "g1": ("inverse_dynamics", "mass_matrix"),
    "solo12": ("inverse_dynamics", "mass_matrix", "forward_dynamics", "integrate", "difference"),
}
"""What is in the table of robots that float, at default effort."""
VARIANTS: dict[str, Mapping[str, Sequence[str]]] = {
    "default": REQUESTS,
    "payload": WITH_PAYLOAD,
    "floating": FLOATING,
    "max": SEARCHED,
}
"""What is in the table: variant -> robot -> functions."""
HEADINGS = ["robot", "variant", "function", *OperationCount().as_dict(), "total"]


def print_rows(robot: str, variant: str, functions: Iterable[CompiledFunction]) -> Iterator[str]:
    """Yield a row of the table for each function."""
    for function in functions:
        counts = function.operations
        numbers = [*counts.as_dict().values(), counts.total]
        yield ",".join([robot, variant, function.definition.request, *map(str, numbers)])


def reviewed_rows(robot: str, variant: str) -> list[str]:
    """Return the rows of a robot's variant in the table, as text."""
    return [
        row
        for row in TABLE.read_text(encoding="utf-8").splitlines()
        if row.startswith(f"{robot},{variant},")
    ]


def replace_rows(robot: str, variant: str, rows: Iterable[str]) -> None:
    """Write the rows of a robot's variant into the table, sorted by robot and variant."""
    _, *before = TABLE.read_text(encoding="utf-8").splitlines()
    others = [row for row in before if not row.startswith(f"{robot},{variant},")]
    ordered = sorted([*others, *rows], key=_place)
    TABLE.write_text("\n".join([",".join(HEADINGS), *ordered, ""]), encoding="utf-8")


def _place(row: str) -> tuple[str, int]:
    robot, variant, _ = row.split(",", 2)
    return robot, [*VARIANTS].index(variant)


@cache
def _totals() -> dict[tuple[str, str, str], int]:
    """Return the totals of the table by robot, variant and function."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["robot"], row["variant"], row["function"]): int(row["total"])
            for row in csv.DictReader(file)
        }


def total_of(robot: str, request: str, variant: str = "default") -> int:
    """Return the reviewed number of multiplications, additions and divisions of a function of a
    bundled robot.
    """
    return _totals()[robot, variant, request]
