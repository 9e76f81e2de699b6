"""Runs killed at random times leave the old folder or the new one; the next run cleans up."""

import os
import random
import signal
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, sleep

import pytest

from dynagen.cli.main import main

SEED = 20261121
RUNS = 8


# Processes are forked from one that has imported the program, so that the kill hits its work and
# not the start of an interpreter.
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(["dynagen.cli.main", "dynagen.pipeline.driver"])


def start(folder: Path, function: str) -> BaseProcess:
    command = ["planar3", "-f", function, "--no-verify", "--format", "none", "--out", str(folder)]
    process = PROCESSES.Process(target=main, args=(command,))
    process.start()
    return process


def run_to_the_end(folder: Path, function: str) -> None:
    process = start(folder, function)
    process.join()
    assert process.exitcode == 0


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def kill_while_writing(process: BaseProcess, parent: Path, delay: float) -> None:
    """Wait until the new folder is being built beside the old one, and a little longer."""
    before = set(os.listdir(parent))
    while process.is_alive() and set(os.listdir(parent)) <= before:
        sleep(0.0005)
    sleep(delay)
    process.kill()


@pytest.mark.slow
def test_killed_at_random_times_the_old_folder_or_the_new_one_is_whole(tmp_path):
    draw = random.Random(SEED)
    known = {}
    for function in ("gravity_forces", "mass_matrix"):
        begin = monotonic()
        run_to_the_end(tmp_path / function, function)
        usual_time = monotonic() - begin
        known[function] = content(tmp_path / function)

    parent = tmp_path / "work"
    out = parent / "out"
    run_to_the_end(out, "gravity_forces")
    killed = 0
    for run in range(RUNS):
        present = content(out)
        wanted = "mass_matrix" if present == known["gravity_forces"] else "gravity_forces"
        process = start(out, wanted)
        if run % 2:
            kill_while_writing(process, parent, draw.uniform(0, 0.03))
        else:
            sleep(draw.uniform(0, 1.1 * usual_time))
            process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        assert content(out) in (present, known[wanted])
    assert killed >= RUNS // 3

    run_to_the_end(out, "mass_matrix")
    assert content(out) == known["mass_matrix"]
    assert {path.name for path in parent.iterdir() if "dynagen-" in path.name} == set()
