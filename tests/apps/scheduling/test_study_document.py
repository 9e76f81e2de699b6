"""docs/schedules.md holds what the code finds; the tables of generated programs are for `make
bench`.
"""

from __future__ import annotations

import importlib.util

import pytest

from tests.support.root import ROOT


@pytest.mark.parametrize(
    "table", ["thesis", "printed", "lagrange", pytest.param("units", marks=pytest.mark.slow)]
)
def test_tables_of_published_schedules_are_current(table: str) -> None:
    spec = importlib.util.spec_from_file_location(
        "schedules_benchmark", ROOT / "benchmarks" / "schedules.py"
    )
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    assert f"<!-- {table} -->\n{benchmark.TABLES[table]()}\n<!-- end -->" in (
        ROOT / "docs" / "schedules.md"
    ).read_text("utf-8")
