"""Functions in the cache: found by other processes without the generator, checked, bounded."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import dynagen
from dynagen.errors import UsageError
from dynagen.runtime import entries, ufuncs
from dynagen.toolchain import cache

STATE = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]
PROGRAM = f"""
import sys
import dynagen
f = dynagen.compile("planar3", states=20)
print(f(*{STATE}).tolist(), "dynagen.pipeline.driver" in sys.modules)
robot = dynagen.load("planar3", states=20)
print(robot.gravity_forces({STATE[0]}).tolist(), "dynagen.pipeline.driver" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and a process that remembers nothing."""
    monkeypatch.setenv("DYNAGEN_CACHE", str(tmp_path / "cache"))
    forget()
    yield tmp_path / "cache"
    forget()


def forget():
    for function in (ufuncs.load_calls, ufuncs.find_module, entries._load):
        function.cache_clear()


def compile_again(**options):
    """Compile in a process that remembers nothing, and count the runs of the generator."""
    forget()
    return dynagen.compile("planar3", "gravity_forces", states=20, **options)


@pytest.fixture
def generated(monkeypatch):
    """Robots that were generated, one for each run."""
    from dynagen.runtime import compilation

    runs, generate = [], compilation.generate_for_calls

    def counted(description, *arguments):
        runs.append(description.name)
        return generate(description, *arguments)

    monkeypatch.setattr(compilation, "generate_for_calls", counted)
    return runs


@pytest.mark.slow
def test_the_second_process_finds_functions_without_the_generator(folder):
    lines = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for _ in range(2)
    ]
    first, second = ([line.split("] ") for line in each] for each in lines)
    assert [result for result, _ in first] == [result for result, _ in second]
    assert [imported for _, imported in first] == ["True", "True"]
    assert [imported for _, imported in second] == ["False", "False"]


def test_a_function_is_generated_once_for_its_robot_and_options(folder, generated, tmp_path):
    first, second = compile_again(), compile_again()
    assert generated == ["planar3"]
    np.testing.assert_array_equal(first(STATE), second(STATE))
    assert (repr(first), first.__doc__, first.signature, first.notes.operations) == (
        repr(second),
        second.__doc__,
        second.signature,
        second.notes.operations,
    )
    assert second.inputs == first.inputs
    assert second.inputs[0].units == ("rad",) * 3
    compile_again(real="float")
    assert len(generated) == 2
    with pytest.raises(TypeError, match="reel"):
        compile_again(reel="float")


def test_a_file_that_has_changed_is_generated_again(folder, generated, tmp_path):
    path = tmp_path / "arm.yaml"
    text = Path(dynagen.load_robot("planar3").path).read_text(encoding="utf-8")
    results = []
    for mass in ("1", "1", "2"):
        path.write_text(text.replace("mass: 1", f"mass: {mass}", 1), encoding="utf-8")
        forget()
        results.append(dynagen.load(path, states=20).gravity_forces(STATE[0]))
    assert len(generated) == 2
    np.testing.assert_array_equal(results[0], results[1])
    assert not np.array_equal(results[1], results[2])


def test_a_robot_from_the_cache_has_the_description_of_its_file(folder, generated, tmp_path):
    path = tmp_path / "arm.yaml"
    text = Path(dynagen.load_robot("planar3").path).read_text(encoding="utf-8")
    path.write_bytes(text.replace("\n", "\r\n").encode())
    first, second = (dynagen.load(path, states=20) for _ in range(2))
    np.testing.assert_array_equal(first.gravity_forces(STATE[0]), second.gravity_forces(STATE[0]))
    assert first.description == second.description == dynagen.load_robot(path)
    assert second.description.path == str(path)
    assert generated == ["planar3"]


def test_a_description_in_memory_is_found_too(folder, generated):
    robot = dynagen.load_robot("planar3")
    for _ in range(2):
        forget()
        dynagen.compile(robot, "gravity_forces", states=20)
    assert generated == ["planar3"]


@pytest.mark.parametrize("ending", [".entry.json", ".source.pickle", ".so"])
@pytest.mark.parametrize("damage", ["truncated", "other", "gone"])
def test_a_damaged_part_is_made_again(folder, generated, ending, damage):
    expected = compile_again()(STATE[0])
    parts = [path for path in folder.iterdir() if path.name.endswith(ending)]
    assert parts
    for path in parts:
        content = path.read_bytes()
        path.unlink()  # this process may have the module in its memory
        if damage != "gone":
            path.write_bytes(content[:100] if damage == "truncated" else content[:-1] + b"?")
    np.testing.assert_array_equal(compile_again()(STATE[0]), expected)
    assert len(generated) == 2
    compile_again()
    assert len(generated) == 2


def test_a_function_from_the_cache_can_be_pickled(folder):
    compile_again()
    function = compile_again()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(function))(STATE), function(STATE))


def test_a_robot_from_the_cache_is_read_when_it_is_needed(folder):
    for _ in range(2):
        forget()
        robot = dynagen.load("planar3", states=20)
        robot.gravity_forces(STATE[0])
    assert robot.name == "planar3"
    assert robot.joints == ("upper_arm", "forearm", "hand")
    assert robot.settings.states == 20
    assert pickle.loads(pickle.dumps(robot)).n == 3
    with pytest.raises(AttributeError, match="gravity_forses"):
        robot.gravity_forses  # noqa: B018
    with pytest.raises(UsageError, match="no bundled robot"):
        dynagen.load("planar4")


def test_a_cache_that_is_only_readable_serves(folder, generated, monkeypatch):
    compile_again()

    def refuse(*arguments, **options):
        raise PermissionError("read-only")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(os, "utime", refuse)
    before = {*folder.iterdir()}
    compile_again()
    assert len(generated) == 1
    compile_again(real="float")  # kept as long as the process runs
    assert {*folder.iterdir()} == before


def test_the_least_recently_used_files_go(folder, monkeypatch):
    monkeypatch.setenv("DYNAGEN_CACHE_SIZE", "0.001")
    made = [
        cache.cache_file([str(number)], ".bin", lambda path: path.write_bytes(b"x" * 300))
        for number in range(3)
    ]
    for age, path in enumerate(made):
        os.utime(path, (1000 - age, 1000 - age))
    assert cache.find_file(["2"], ".bin") == made[2]  # used now
    newest = cache.cache_file(["3"], ".bin", lambda path: path.write_bytes(b"x" * 300))
    assert {*cache.list_files()} == {made[2], newest}
    monkeypatch.setenv("DYNAGEN_CACHE_SIZE", "much")
    with pytest.raises(UsageError, match="DYNAGEN_CACHE_SIZE: expected megabytes above zero"):
        cache.read_limit()


def test_the_command_shows_and_empties_the_cache(folder, run):
    compile_again()
    status, out, _ = run("cache", "--format", "json")
    report = json.loads(out)
    assert (status, report["folder"], report["limit"]) == (0, str(folder), 10**9)
    assert report["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    (entry,) = report["entries"]
    assert (entry["robot"], entry["functions"]) == ("planar3", ["gravity_forces"])
    assert "20 states, largest error" in entry["proofs"][0]
    assert "planar3" in run("cache")[1]
    assert f"files deleted from {folder}" in run("cache", "clear")[1]
    assert [*folder.iterdir()] == []
    assert json.loads(run("cache", "--format", "json")[1])["entries"] == []
