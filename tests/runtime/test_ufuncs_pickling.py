"""Ufuncs in other processes, which compile the source or find it cached; runs without a cache."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
import sysconfig
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from platformdirs import user_cache_path

import dynagen
from dynagen.errors import ToolchainError
from dynagen.runtime import ufuncs
from dynagen.toolchain import cache, extension

STATE = np.random.default_rng(8).uniform(-1, 1, (3, 3))


def forget():
    """Forget the modules that this process has loaded."""
    ufuncs.load_calls.cache_clear()
    ufuncs.find_module.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and a process that remembers nothing."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DYNAGEN_CACHE", str(folder))
    forget()
    yield folder
    forget()


def compiled(language="c", function="inverse_dynamics", **options):
    return dynagen.compile("planar3", function, lang=language, states=20, **options)


def test_pickled_and_copied_functions_compute_the_same(language):
    function = compiled(language, "forward_kinematics", real="float")
    for other in (
        pickle.loads(pickle.dumps(function)),
        copy.copy(function),
        copy.deepcopy(function),
    ):
        assert (repr(other), other.__doc__, other.signature) == (
            repr(function),
            function.__doc__,
            function.signature,
        )
        for result, expected in zip(other(STATE), function(STATE), strict=True):
            np.testing.assert_array_equal(result, expected)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_a_pool_of_processes_maps_a_function(folder, start):
    function = compiled()
    states = [(STATE[0] * k, STATE[1], STATE[2]) for k in range(20)]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(start)) as pool:
        futures = [pool.submit(function, *state) for state in states]
        for future, state in zip(futures, states, strict=True):
            np.testing.assert_array_equal(future.result(timeout=60), function(*state))


LOAD = (
    "import pickle, sys; "
    "print(pickle.load(sys.stdin.buffer)([0.1, 0.2, 0.3], [1, 2, 3], [3, 2, 1]).tolist())"
)


def test_options_of_the_compiler_can_be_chosen_and_are_part_of_what_is_kept(folder, monkeypatch):
    expected = compiled()(*STATE)
    monkeypatch.setenv("DYNAGEN_CFLAGS", "-O1 -ffp-contract=fast")
    forget()
    np.testing.assert_allclose(compiled()(*STATE), expected, rtol=1e-12)
    assert len([*folder.glob("*.so")]) == 2
    monkeypatch.setenv("DYNAGEN_CFLAGS", "--no-such-option")
    forget()
    with pytest.raises(ToolchainError, match="no-such-option"):
        compiled()


@pytest.mark.slow
def test_processes_that_start_at_once_with_an_empty_cache_do_not_meet(folder):
    function = compiled()
    for file in folder.iterdir():
        file.unlink()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", LOAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in processes:
        process.stdin.write(pickle.dumps(function))
        process.stdin.flush()
    printed = {process.communicate(timeout=60)[0] for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    assert printed == {f"{function([0.1, 0.2, 0.3], [1, 2, 3], [3, 2, 1]).tolist()}\n".encode()}
    # The module, and the object file of the calls that all modules share.
    assert sorted(path.suffix for path in folder.iterdir()) == [".o", ".so"]


@pytest.mark.tools
def test_the_cache_tells_sources_and_options_apart_and_compiles_once(folder, monkeypatch):
    compiled()
    (first,) = folder.glob("*.so")
    node = first.stat().st_ino
    forget()
    compiled()
    assert {each: each.stat().st_ino for each in folder.glob("*.so")} == {first: node}
    compiled(real="float")
    assert len(list(folder.glob("*.so"))) == 2
    forget()
    monkeypatch.setenv("CC", "clang")
    compiled()
    assert len(list(folder.glob("*.so"))) == 3


@pytest.mark.slow
def test_a_damaged_file_is_made_anew(folder):
    function = compiled()
    (file,) = folder.glob("*.so")
    file.unlink()
    file.write_bytes(bytes(1000))
    program = [sys.executable, "-c", LOAD]  # in this process the loader would remember the file
    done = subprocess.run(program, input=pickle.dumps(function), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert file.stat().st_size > 1000


def test_where_nothing_can_be_kept_a_temporary_folder_serves(tmp_path, monkeypatch, folder):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DYNAGEN_CACHE", str(tmp_path / "file" / "cache"))
    np.testing.assert_array_equal(compiled()(*STATE), compiled()(*STATE))
    assert cache.find_writable_folder().name.startswith("dynagen-")


def test_caches_are_where_the_system_has_them_or_the_user_wants_them(monkeypatch):
    monkeypatch.delenv("DYNAGEN_CACHE")
    assert cache.cache_folder() == user_cache_path("dynagen", appauthor=False)
    monkeypatch.setenv("DYNAGEN_CACHE", "/c")
    assert cache.cache_folder() == Path("/c")


def test_without_headers_of_python_calls_go_through_cffi_and_users_read_why(
    folder, monkeypatch, tmp_path
):
    real = compiled("c", "forward_kinematics")(STATE)
    forget()
    for file in folder.iterdir():
        file.unlink()
    paths = sysconfig.get_path
    monkeypatch.setattr(
        extension.sysconfig,
        "get_path",
        lambda name: str(tmp_path) if "include" in name else paths(name),
    )
    with pytest.warns(
        UserWarning, match=rf"Python.h was not found in {tmp_path}.*apt-get install python3.\d+-dev"
    ):
        function = compiled("c", "forward_kinematics")
    for result, expected in zip(function(STATE), real, strict=True):
        np.testing.assert_array_equal(result, expected)
    rotation, _ = pickle.loads(pickle.dumps(function))(STATE[0])
    np.testing.assert_array_equal(rotation, real[0][0])
    assert function(q=STATE[:, None]).__class__ is tuple
