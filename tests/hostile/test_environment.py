"""Hostile surroundings: compilers that hang, files that change or are huge, folders of others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from hashlib import sha256

import numpy as np
import pytest

import dynagen
from dynagen.errors import DynagenError, ToolchainError
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.runtime import entries
from dynagen.toolchain import commands
from tests.support.root import ROOT

PLANAR = ROOT / "robots" / "planar3.yaml"


@pytest.mark.parametrize("script", ["sleep 60", "sleep 60 & sleep 60"])
def test_a_compiler_that_hangs_is_stopped_with_all_it_has_started(tmp_path, monkeypatch, script):
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setattr(commands, "_SECONDS", 0.3)
    began = time.monotonic()
    with pytest.raises(ToolchainError, match=r"cc .* did not end within 0.3 s and was stopped"):
        generate(load_robot("planar3"), Settings("c", states=5))
    assert time.monotonic() - began < 20  # the pipes of what it has started are closed


def test_a_robot_file_that_changes_during_a_run_is_read_once(tmp_path):
    path = tmp_path / "arm.yaml"
    text = PLANAR.read_text()
    path.write_text(text)
    description = load_robot(path)

    def change(stage, done):
        path.write_text("name: other\n")

    made = generate(description, Settings("python", states=5), change)
    manifest = json.loads(made.manifest.text)
    assert path.read_text() == "name: other\n"
    assert manifest["input_sha256"] == sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("ending", ["yaml", "urdf", "xml"])
def test_files_of_100_megabytes_are_refused_at_once(tmp_path, ending):
    path = tmp_path / f"large.{ending}"
    with path.open("wb") as file:
        file.write(b"name: x\n" if ending == "yaml" else b"<robot name='x'>")
        file.truncate(100_000_000)
    began = time.monotonic()
    with pytest.raises(DynagenError) as caught:
        load_robot(path)
    assert "MB" in str(caught.value) or "bytes" in str(caught.value), caught.value
    assert time.monotonic() - began < 5


def run_as_user(code, home):
    """Run Python as a user who has to obey permissions, also where the tests run as root."""
    obey = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"] if os.getuid() == 0 else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)}
    environment |= {"XDG_CACHE_HOME": str(home / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*obey, sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=home)


@pytest.fixture
def readable(tmp_path):
    """A folder that can be read only."""
    folder = tmp_path / "readable"
    folder.mkdir(mode=0o555)
    yield folder
    folder.chmod(0o755)


@pytest.mark.slow
def test_an_ordinary_user_reads_that_a_folder_cannot_be_written(readable):
    words = ["planar3", "--lang", "python", "--out", str(readable / "arm")]
    done = run_as_user(
        f"import sys; sys.argv[1:] = {words}\nfrom dynagen.cli.main import main; main()", readable
    )
    assert done.returncode == 2, done.stderr
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(readable.iterdir()) == []


@pytest.mark.slow
def test_functions_compile_for_a_user_whose_home_is_read_only(readable):
    done = run_as_user(
        "import dynagen, numpy; f = dynagen.compile('planar3', 'gravity_forces')\n"
        "print(f(numpy.zeros(3)).shape)",
        readable,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(3,)"
    assert list(readable.iterdir()) == []


def test_two_versions_share_a_cache_without_taking_each_other_s_functions(monkeypatch):
    key = entries.make_key("arm")
    assert entries.make_key("arm") == key
    monkeypatch.setattr(entries, "__version__", "0.0.1")
    older = entries.make_key("arm")
    assert older != key
    monkeypatch.undo()
    entries._describe_package.cache_clear()
    monkeypatch.setattr(entries, "_PACKAGE", ROOT / "tests" / "support")  # another checkout
    assert entries.make_key("arm") not in (key, older)
    monkeypatch.undo()
    entries._describe_package.cache_clear()


@pytest.mark.tools
def test_fortran_keeps_what_is_not_a_number_in_its_state_and_its_results():
    function = dynagen.compile("planar3", "inverse_dynamics", lang="fortran")
    rng = np.random.default_rng(1)
    motion = rng.normal(size=(3, 37, 3))
    clean = function(*motion)
    for argument in range(3):
        for element in range(3):
            for bad in (np.nan, np.inf):
                spoilt = motion.copy()
                spoilt[argument, 17, element] = bad
                found = function(*spoilt)
                assert np.array_equal(np.delete(found, 17, 0), np.delete(clean, 17, 0))
                assert not np.isfinite(found[17]).all()
    # In M qdd a later joint's acceleration reaches every force of this arm.
    assert not np.isfinite(found[17]).any()


@pytest.mark.tools
@pytest.mark.parametrize("place", range(3))
def test_fortran_writes_results_into_its_own_inputs(place):
    function = dynagen.compile("planar3", "inverse_dynamics", lang="fortran")
    motion = [*np.random.default_rng(2).normal(size=(3, 40, 3))]
    expected = function(*motion)
    result = function(*motion, out=motion[place])
    assert result is motion[place]
    assert np.array_equal(result, expected)
