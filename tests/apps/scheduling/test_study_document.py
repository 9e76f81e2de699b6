"""docs/schedules.md contains what the code computes, except the measured times."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from click.testing import CliRunner

from dynagen.apps.scheduling.study import simultaneous_steps
from dynagen.cli.main import dynagen
from tests.support.root import ROOT

PAGE = (ROOT / "docs" / "schedules.md").read_text("utf-8")


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    """The program that writes the page."""
    spec = importlib.util.spec_from_file_location(
        "schedules_benchmark", ROOT / "benchmarks" / "schedules.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


QUICK = ("thesis", "stanford", "printed", "turney", "lagrange")
SLOW = ("units", "robots")


@pytest.mark.parametrize(
    "table", [*QUICK, *(pytest.param(table, marks=pytest.mark.slow) for table in SLOW)]
)
def test_tables_are_current(benchmark: ModuleType, table: str) -> None:
    assert f"<!-- {table} -->\n{benchmark.TABLES[table]()}\n<!-- end -->" in PAGE


def test_every_computed_table_is_compared(benchmark: ModuleType) -> None:
    assert {*QUICK, *SLOW} == set(benchmark.TABLES)


def test_the_session_is_what_the_command_prints() -> None:
    command, _, printed = PAGE.split("```console\n$ ")[1].split("\n```")[0].partition("\n")
    result = CliRunner().invoke(dynagen, command.split()[1:])
    assert result.exit_code == 0, result.output
    assert [line.rstrip() for line in result.output.strip().splitlines()] == printed.splitlines()


def test_numbers_of_the_text_follow_from_the_tables(benchmark: ModuleType) -> None:
    text = " ".join(PAGE.split())
    sequential = sum(6 * steps[1] + steps[0] for steps in simultaneous_steps())
    assert f"Turney's {sequential} sequential multiplications and additions" in text
    tasks = benchmark.of_the_thesis().splitlines()[2].split("|")
    # 230 subtasks in 27 layers, on 9 processors: the simpler bound, and the one that is reached.
    simpler = max(27, -(-230 // 9))
    assert f"simpler bound is {simpler}," in text
    assert f"the interval bound is {tasks[9].strip()}" in text
