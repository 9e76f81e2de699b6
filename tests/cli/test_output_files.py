"""Files that commands write: folders are checked before any work, even before reading a robot."""

import os
import stat
from threading import Thread

import pytest


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--html"),
        ("convert", "--out"),
        ("excite", "--out"),
        ("excite", "--out", "motion.csv", "--figure"),
        ("identify", "log.csv", "--out"),
        ("identify", "log.csv", "--html"),
        ("report", "--html"),
        ("schedule", "--html"),
        ("simulate", "--q0", "0", "--time", "1", "--out"),
        ("simulate", "--q0", "0", "--time", "1", "--figure"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("folder", "reason"), [("none", "No such file or directory"), ("file", "Not a directory")]
)
def test_a_file_that_cannot_be_written_is_told_before_all_else(
    run, tmp_path, monkeypatch, words, folder, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("no folder")
    command, *options = words
    status, _, error = run(command, "no_such_robot", *options, f"{folder}/result")
    assert (status, error) == (
        2,
        f"dynagen: cannot write {folder}/result: {reason}; "
        f"choose another file with {options[-1]}\n",
    )


@pytest.mark.parametrize("words", [("convert",), ("identify", "log.csv")], ids=" ".join)
def test_a_description_that_is_there_stays_and_that_is_told_before_all_else(run, tmp_path, words):
    (tmp_path / "guess.yaml").write_text("the only copy")
    command, *logs = words
    for robot in ("no_such_robot", "guess.yaml"):
        status, _, error = run(command, robot, *logs, "-o", "guess.yaml")
        assert (status, error) == (
            2,
            "dynagen: guess.yaml exists: choose another file with --out, "
            "or --force to replace it\n",
        )
        assert (
            "exists" not in run(command, robot, *logs, "-o", "guess.yaml", "--force")[2]
        )  # but goes on to the robot
    assert (tmp_path / "guess.yaml").read_text() == "the only copy"


def test_a_pipe_is_written_to_and_not_replaced(run, tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run("equations", "planar3", "-o", str(pipe))[0] == 0
    reader.join(timeout=10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert read[0].startswith("planar3: inverse_dynamics")


def test_a_motion_with_too_many_rows_is_refused(run, tmp_path):
    status, _, error = run("excite", "planar3", "-o", "motion.csv", "--rate", "1e9")
    assert (status, "expected at most 100000 Hz, which are 1000000 rows in 10 s" in error) == (2, 1)
