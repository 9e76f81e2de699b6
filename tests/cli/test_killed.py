"""The whole command, killed at random times: the old folder or the new one, and the next run cleans up."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

SEED = 20261121
RUNS = 14


def command(folder: Path, function: str) -> list[str]:
    return [sys.executable, "-m", "dynagen", "planar3", "-f", function, "--no-verify", "--out", str(folder)]


def start(folder: Path, function: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command(folder, function), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def kill_while_writing(process: "subprocess.Popen[bytes]", parent: Path, delay: float) -> None:
    """Wait until the new folder is being built beside the old one, and a little longer."""
    before = set(os.listdir(parent))
    while process.poll() is None and set(os.listdir(parent)) <= before:
        sleep(0.0005)
    sleep(delay)
    process.send_signal(signal.SIGKILL)


def test_killed_at_random_times_the_old_folder_or_the_new_one_is_whole(tmp_path):
    draw = random.Random(SEED)
    known = {}
    begin = monotonic()
    for function in ("gravity_forces", "mass_matrix"):
        subprocess.run(command(tmp_path / function, function), check=True, stdout=subprocess.DEVNULL)
        known[function] = content(tmp_path / function)
    usual_time = (monotonic() - begin) / 2

    parent = tmp_path / "work"
    out = parent / "out"
    subprocess.run(command(out, "gravity_forces"), check=True, stdout=subprocess.DEVNULL)
    killed = 0
    for run in range(RUNS):
        present = content(out)
        wanted = "mass_matrix" if present == known["gravity_forces"] else "gravity_forces"
        process = start(out, wanted)
        if run % 2:
            kill_while_writing(process, parent, draw.uniform(0, 0.03))
        else:
            sleep(draw.uniform(0, 1.1 * usual_time))
            process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert content(out) in (present, known[wanted])
    assert killed >= RUNS // 3

    subprocess.run(command(out, "mass_matrix"), check=True, stdout=subprocess.DEVNULL)
    assert content(out) == known["mass_matrix"]
    assert {path.name for path in parent.iterdir() if "dynagen-" in path.name} == set()
