"""The reviewed tables of operation counts: tests/golden/counts/<kind>/<robot>.txt, one line a function.

A kind is `default`, `max` (a short search), `payload` (with one, at default effort) or `floating` (a floating base, likewise).

`tests/golden/test_counts.py` compares them with what is generated. Tests of marks, bounds and published figures read them
here, so that a robot's functions are generated once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from dynagen.ir.cost import OperationCount
from dynagen.optimizer.compile import CompiledFunction
from dynagen.resources import bundled_robots

TABLES = Path(__file__).parents[1] / "golden" / "counts"
_WITH_FRICTION = ("regressor_with_friction", "base_regressor_with_friction")
_STEPS = ("step", "step_euler", "step_euler_derivatives")
_FURTHER = {
    "panda": ("mass_matrix+gravity_forces", "inverse_dynamics_derivatives+mass_matrix"),
    "planar3": (*_WITH_FRICTION, *_STEPS, "mass_matrix+gravity_forces"),
    "puma260": (*_WITH_FRICTION, "mass_matrix+gravity_forces"),
    "puma560": (
        *_WITH_FRICTION,
        *_STEPS,
        "mass_matrix+gravity_forces",
        "inverse_dynamics_derivatives+mass_matrix",
        "inverse_dynamics+mass_matrix",
        "inverse_dynamics+base_regressor",
    ),
    "scara": (*_WITH_FRICTION, "mass_matrix+jacobian+forward_kinematics"),
    "stanford_listing": ("regressor+inverse_dynamics",),
}
_CHOSEN = {"g1": ("inverse_dynamics", "gravity_forces", "forward_dynamics")}  # `all` takes a minute
REQUESTS = {
    robot: _CHOSEN.get(robot, ("all", *_FURTHER.get(robot, ()))) for robot in bundled_robots()
}
"""What is in the table of a robot at default effort: every function, or some of a large robot's, and what is claimed to cost
little."""
SEARCHED = {
    "panda": ("mass_matrix",),
    "puma260": ("mass_matrix+gravity_forces", "coriolis_forces"),
    "stanford_listing": ("inverse_dynamics",),
    "ur5": ("inverse_dynamics", "coriolis_matrix"),
}
"""What is in the tables of a short search."""
BUDGETS = {"panda": 300, "puma260": 60, "stanford_listing": 300, "ur5": 300}
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
"""What is in the tables of robots with `payload: true`, at default effort."""
FLOATING = {
    "g1": ("inverse_dynamics", "mass_matrix"),
    "solo12": ("inverse_dynamics", "mass_matrix", "forward_dynamics"),
}
"""What is in the tables of robots that float, at default effort."""
_WIDTH = max(len(request) for requests in REQUESTS.values() for request in requests)


def print_table(functions: Iterable[CompiledFunction]) -> str:
    """One line of counts for each function, under a line of headings."""
    names = list(OperationCount().as_dict())
    lines = ["".join([" " * _WIDTH, *(f"{name:>7}" for name in (*names, "total"))])]
    for function in functions:
        counts = function.operations
        numbers = [*counts.as_dict().values(), counts.total]
        lines.append(
            "".join(
                [f"{function.definition.request:{_WIDTH}}", *(f"{number:7}" for number in numbers)]
            )
        )
    return "\n".join(lines) + "\n"


@cache
def counts_of(robot: str, kind: str = "default") -> dict[str, OperationCount]:
    """The reviewed counts of a bundled robot's functions, by request."""
    headings, *lines = (TABLES / kind / f"{robot}.txt").read_text(encoding="utf-8").splitlines()
    _, *names = (None, *headings.split()[:-1])
    counts = {}
    for line in lines:
        request, *numbers = line.split()
        counts[request] = OperationCount(**dict(zip(names, map(int, numbers), strict=False)))
    return counts


def total_of(robot: str, request: str, kind: str = "default") -> int:
    """Multiplications, additions and divisions of a function of a bundled robot."""
    return counts_of(robot, kind)[request].total
