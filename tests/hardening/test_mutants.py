"""Faults are planted where code runs, and the proof finds them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hardening.mutants import GROUPS, HUNG, STOPPED, list_modules, run_apart
from hardening.mutation import list_mutants, plant
from tests.support.root import ROOT

MODULE = '''
def outer(x: "1 + 1", y=1 + 1):
    """No 1 + 1."""
    if not x < 3:
        raise ValueError(f"{x + 1}")

    def inner(z):
        return -z[0] + x

    return inner
'''


def test_changes_are_those_of_expressions_that_compute(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    found = {(each.change, each.text) for each in list_mutants(path)}
    assert found == {
        ("not", "not x < 3"),
        ("compare", "x < 3"),
        ("swap", "-z[0] + x"),
        ("drop", "-z[0] + x"),
        ("sign", "-z[0]"),
        ("index", "z[0]"),
    }


def test_a_fault_gets_into_functions_and_closures_that_exist(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    made = {}
    exec(compile(MODULE, str(path), "exec"), made)
    closure = made["outer"](1)
    assert closure([2, 5]) == -1
    (fault,) = (each for each in list_mutants(path) if each.change == "index")
    assert plant(fault) == 2
    assert closure([2, 5]) == -4
    assert made["outer"](1)([2, 5]) == -4


def test_processes_that_end_or_hang_are_told_apart():
    assert run_apart(lambda: 3) == 3
    assert run_apart(lambda: sys.exit(1)) == STOPPED
    assert run_apart(lambda: [None for _ in iter(int, 1)], seconds=1) == HUNG


def test_every_group_has_modules_with_mutants():
    for group in GROUPS:
        assert sum(len(list(list_mutants(path))) for path in list_modules(group)) > 50


# In a process of its own: caches of earlier tests would hide a fault.
JUDGE = """
from hardening import mutants as m
from hardening.robots import make_robots
m.import_modules()
case = m.Case(make_robots()[3], "inverse_dynamics", "python")
path = m.ROOT / {path!r}
files = frozenset([str(path)])
baseline = m.run_apart(lambda: m.measure(case, files))
mutants = [
    each for each in m.list_mutants(path)
    if (str(each.path), each.line) in baseline.lines and each.change == {change!r}
]
print([m.run_apart(lambda: m.judge(each, [case], [baseline])) for each in mutants[: {most}]])
"""


@pytest.mark.slow
def test_a_lost_sign_in_the_recursion_is_found():
    path = "dynamics/algorithms/newton_euler.py"
    command = [sys.executable, "-c", JUDGE.format(path=path, change="sign", most=3)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "proof" in done.stdout
    assert "survived" not in done.stdout
