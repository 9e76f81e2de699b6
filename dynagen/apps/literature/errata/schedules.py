"""Checks of the task tables and schedules in the thesis of Dhanaraj (1990).

The tables are files in `published/`. The checks share no code with dynagen's schedulers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

from ruamel.yaml import YAML

from dynagen.resources import find_published_folder

_LINKS = 6


@cache
def _read(name: str) -> Any:
    text = (find_published_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    return YAML(typ="safe", pure=True).load(text)


def read_levels(table: str) -> list[list[int]]:
    """Return the subtask numbers, such as 312, in each row (level) of a printed schedule.

    Args:
        table: number of the table in the thesis, such as `4.7`.
    """
    tables = [*_read("schedules")["layers"], *_read("schedules")["schedules"]]
    (levels,) = (each["levels"] for each in tables if str(each["table"]) == table)
    return [[int(word) for word in line.split() if word.isdigit()] for line in levels.splitlines()]


def _list_general_tasks() -> set[int]:
    """Return all task numbers for a general robot with six links, by the rules of the thesis.

    A task is a subtask of inverse dynamics; task 312 is subtask 12 of link 3.
    """
    eliminated = _read("subtasks")["eliminated"]
    dropped = {100 + number for number in eliminated["first_link"]}
    dropped |= {100 * _LINKS + number for number in eliminated["last_link"]}
    return {
        100 * link + number for link in range(1, _LINKS + 1) for number in range(1, 44)
    } - dropped


def _find_predecessors(tasks: set[int]) -> dict[int, set[int]]:
    """Return the predecessors of each given task, among the given tasks.

    A predecessor that is not given is replaced by its own predecessors.
    """
    direct: dict[int, set[int]] = {}
    for record in _read("subtasks")["subtasks"]:
        for link in range(1, _LINKS + 1):
            needed = {100 * link + number for number in record.get("own", ())}
            needed |= {100 * (link - 1) + number for number in record.get("previous", ())}
            needed |= {100 * (link + 1) + number for number in record.get("next", ())}
            for number in record["numbers"]:
                direct[100 * link + number] = needed

    @cache
    def present(task: int) -> frozenset[int]:
        if task in tasks:
            return frozenset({task})
        needed = direct.get(task, ())
        return frozenset(found for before in needed for found in present(before))

    return {
        task: {found for before in direct[task] for found in present(before)}
        for task in sorted(tasks)
    }


def check_schedule(data: Mapping[str, Any]) -> tuple[bool, bool, str]:
    """Check that a printed schedule has exactly the violations in `data`.

    A row (level) of the printed schedule contains the tasks that run at the same time.

    Args:
        data: `table`, the number of the table; `precedence`, pairs `before/after` of tasks in the
            wrong order; `missing`, tasks that the table lacks; `repeated`, tasks that it contains
            more than once. The order of task 110 and its successors is not checked: all tables
            contain them in the same row, which is a separate erratum.

    Returns:
        Whether the schedule is valid, whether its violations are the violations in `data`, and its
        violations as text.
    """
    levels = read_levels(data["table"])
    counts = Counter(task for level in levels for task in level)
    expected = (
        _list_general_tasks()
        if int(data["table"].partition(".")[2]) <= 8
        else {task for level in read_levels("4.7") for task in level}
    )
    starts: dict[int, int] = {}
    for place, level in enumerate(levels):
        for task in level:
            starts.setdefault(task, place)  # of a repeated task the first one
    broken = [
        f"{before}/{task}"
        for task, needed in _find_predecessors(expected).items()
        for before in sorted(needed - {110})
        if task in starts and before in starts and starts[task] <= starts[before]
    ]
    found: dict[str, list[Any]] = {
        "precedence": sorted(broken),
        "missing": sorted(expected - set(counts)),
        "repeated": sorted(task for task, times in counts.items() if times > 1),
    }
    stated = {kind: sorted(data.get(kind, ())) for kind in found}
    detail = "; ".join(
        f"{kind} {' '.join(f'{each}' for each in found[kind])}" for kind in found if found[kind]
    )
    return not any(found.values()), found == stated, detail


def check_tasks(data: Mapping[str, Any]) -> tuple[bool, bool, str]:
    """Check that a printed table contains tasks that do not belong in the table, or in their row.

    Args:
        data: `table`, the number of the table; `printed`, tasks that the table contains by mistake;
            `correct`, tasks that should be there instead; `rules`, the names of the rules of the
            thesis that eliminate the printed tasks. For tasks in a wrong row, `together` replaces
            `rules`. It is a task in the same row (at the same time), on which the printed tasks
            depend.

    Returns:
        Whether the printed table is right, whether the correction is right, and a text for the
        report.
    """
    levels = read_levels(data["table"])
    tasks = {task for level in levels for task in level}
    printed, correct = set(data["printed"]), set(data.get("correct", ()))
    if "together" in data:
        (level,) = (level for level in levels if data["together"] in level)
        needed = _find_predecessors(tasks)
        depends = all(data["together"] in needed[task] for task in printed)
        return not printed <= set(level), depends, f"level {' '.join(map(str, level))}"
    eliminated = _read("subtasks")["eliminated"]
    rules = {int(task) % 100 for kind in data["rules"] for task in _look_up(eliminated, kind)}
    wrong = {task for task in printed if task % 100 in rules}
    right = {task for task in correct if task % 100 not in rules}
    return (
        not printed <= tasks,
        wrong == printed and right == correct and not correct & tasks,
        f"Table {data['table']} contains {' '.join(map(str, sorted(printed)))}",
    )


def _look_up(rules: Mapping[str, Any], path: str) -> list[int]:
    found: Any = rules
    for key in path.split("."):
        found = found[key]
    return list(found)


def check_layers(data: Mapping[str, Any]) -> tuple[bool, bool, str]:
    """Check a printed and a corrected number of tasks, or of layers of dependent tasks.

    Args:
        data: a mapping. `tasks` is the number of a printed table, or the text `rules` for all tasks
            of a general robot with six links. `count` is the text `tasks` to check the number of
            tasks, or `layers` to check the number of layers. `printed` and `correct` are the
            numbers to check.

    Returns:
        Whether the printed number is right, whether the corrected number is right, and a text for
        the report.
    """
    tasks = (
        _list_general_tasks()
        if data["tasks"] == "rules"
        else {task for level in read_levels(data["tasks"]) for task in level}
    )
    value = len(tasks)
    if data["count"] == "layers":
        needed = _find_predecessors(tasks)

        @cache
        def depth(task: int) -> int:
            return 1 + max((depth(before) for before in needed[task]), default=0)

        value = max(depth(task) for task in tasks)
    return value == data["printed"], value == data["correct"], f"{value} {data['count']}"
