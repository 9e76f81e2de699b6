"""Traces: sympy makes each of them once, and later processes read them from files."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagen.dynamics import traces
from dynagen.dynamics.traces import find_trace

SHAPES = ((3, 3), (3,))


def product(matrix, vector):
    return matrix * vector


def difference(left, right):
    return left - right


def begin_process() -> None:
    """Forget what this process has read, as a new process would."""
    traces._load.cache_clear()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the file that stores the traces of the two formulas above."""
    monkeypatch.setattr(traces, "_FOLDER", Path(__file__).parent)
    monkeypatch.setattr(traces, "cache_from_source", lambda _: str(tmp_path / "cache" / "a.pyc"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    begin_process()
    yield tmp_path / "cache" / "a.traces"
    begin_process()


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the names of all formulas that sympy evaluates."""
    names: list[str] = []
    lower = traces._lower_formula

    def note(function, shapes):
        names.append(function.__name__)
        return lower(function, shapes)

    monkeypatch.setattr(traces, "_lower_formula", note)
    return names


def test_a_formula_is_traced_once(file, traced):
    trace = find_trace(product, SHAPES)
    begin_process()
    assert find_trace(product, SHAPES) == trace
    assert traced == ["product"]
    assert [each.name for each in file.parent.iterdir()] == ["a.traces"]


def test_other_users_may_read_the_file(file):
    find_trace(product, SHAPES)
    plain = file.with_name("plain")
    plain.touch()
    assert file.stat().st_mode == plain.stat().st_mode


def test_other_shapes_are_traced_for_themselves(file, traced):
    assert find_trace(product, ((2, 3), (3,))) != find_trace(product, SHAPES)
    assert traced == ["product"] * 2


@pytest.mark.parametrize("content", [b"", b"half", b"\x80\x05N.", b"\x80\x05K\x01K\x02\x86."])
def test_a_damaged_file_is_replaced(file, traced, content):
    trace = find_trace(product, SHAPES)
    file.write_bytes(content)
    begin_process()
    assert find_trace(product, SHAPES) == trace
    begin_process()
    find_trace(product, SHAPES)
    assert traced == ["product"] * 2


def test_changed_source_code_is_traced_again(file, traced, monkeypatch):
    find_trace(product, SHAPES)
    begin_process()
    monkeypatch.setattr(traces, "_read_stamp", lambda: ("other",))
    find_trace(product, SHAPES)
    assert traced == ["product"] * 2


def test_the_stamp_contains_the_lowering_the_numbers_and_sympy():
    names = [name for name, _, _ in traces._read_stamp()]
    assert {"__init__.py", "lowering.py", "rotations.py", "builder.py", "exact.py"} < set(names)


def test_processes_add_to_each_others_traces(file, traced):
    find_trace(product, SHAPES)
    first = file.read_bytes()
    file.unlink()
    begin_process()
    find_trace(difference, (SHAPES[1], SHAPES[1]))
    # Another process has stored its trace since this process read the file.
    file.write_bytes(first)
    find_trace(difference, SHAPES[:1] * 2)
    begin_process()
    find_trace(product, SHAPES)
    find_trace(difference, (SHAPES[1], SHAPES[1]))
    assert traced == ["product", "difference", "difference"]


def test_nothing_is_written_if_python_writes_no_bytecode(file, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    find_trace(product, SHAPES)
    assert not file.exists()


def test_a_folder_that_cannot_be_made_is_ignored(file):
    file.parent.write_text("a file", encoding="utf-8")
    assert find_trace(product, SHAPES).shape == (3,)


def test_formulas_that_depend_on_other_values_are_not_stored(file):
    number = 2
    find_trace(lambda vector: number * vector, ((3,),))
    find_trace(lambda vector, number=3: number * vector, ((3,),))
    assert not file.exists()


PROGRAM = """
import sys
import dynagen

sys.pycache_prefix, sys.dont_write_bytecode = sys.argv[1], False
dynagen.compile("planar3", "gravity_forces")
print("sympy" in sys.modules)
"""


def test_a_process_that_finds_all_traces_does_not_import_sympy(tmp_path, monkeypatch):
    printed = []
    for cache in ("first", "second"):
        monkeypatch.setenv("DYNAGEN_CACHE", str(tmp_path / cache))
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / "bytecode")]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        printed.append(ran.stdout.split())
    assert printed == [["True"], ["False"]]
