"""The cache of compiled files: damaged, missing and foreign entries; compilers without a result."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import dynagen
from dynagen.errors import ToolchainError
from dynagen.toolchain.cache import cache_file


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DYNAGEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_compiler_reaches_a_cache_whose_folder_is_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DYNAGEN_CACHE", "cache")
    function = dynagen.compile("planar3", "gravity_forces", states=5)
    assert function([0.1, 0.2, 0.3]).shape == (3,)
    assert list((tmp_path / "cache").iterdir())


def make_counted(made):
    def make(path: Path) -> None:
        made.append(path)
        path.write_text("content")

    return make


def test_threads_make_a_file_once(cache):
    made: list[Path] = []

    def make(path: Path) -> None:
        time.sleep(0.05)
        make_counted(made)(path)

    with ThreadPoolExecutor(4) as threads:
        paths = [threads.submit(cache_file, ["the same"], ".txt", make) for _ in range(4)]
    assert len({path.result() for path in paths}) == len(made) == 1


@pytest.mark.parametrize("damage", ["conten", "", "c0ntent", None])
def test_a_damaged_file_is_made_again(cache, damage):
    made: list[Path] = []
    path = cache_file(["source"], ".so", make_counted(made))
    assert cache_file(["source"], ".so", make_counted(made)) == path
    assert len(made) == 1
    if damage is None:
        path.unlink()
    else:
        path.write_text(damage)
    assert cache_file(["source"], ".so", make_counted(made)).read_text() == "content"
    assert len(made) == 2


def test_a_folder_in_place_of_a_file_is_left_alone(cache):
    made: list[Path] = []
    path = cache_file(["source"], ".so", make_counted(made))
    path.unlink()
    path.mkdir()
    (path / "kept").touch()
    other = cache_file(["source"], ".so", make_counted(made))
    assert other.read_text() == "content"
    assert cache not in other.parents
    assert (path / "kept").exists()


def test_no_output_is_an_error_of_the_toolchain(cache):
    with pytest.raises(ToolchainError, match=r"reported success but wrote no \.so file: check"):
        cache_file(["source"], ".so", lambda path: None)


@pytest.mark.tools
def test_a_truncated_module_does_not_end_the_process(cache):
    """Loading it would be a SIGBUS, as after a power failure or on a full disk."""
    program = (
        "import dynagen\n"
        "f = dynagen.compile('planar3', 'gravity_forces', states=20)\n"
        "print(f([.1] * 3))"
    )

    def run():
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout

    first = run()
    modules = list(cache.glob("*.so"))
    assert modules
    for module in modules:
        module.write_bytes(module.read_bytes()[:9000])
    assert run() == first
