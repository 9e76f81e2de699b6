"""A closed pipe, for example of `| head`, ends the report and nothing else."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("puma560", "--no-verify", "--out", "out"), ["out"]),
        (("schema",), []),
        (("check", "puma560"), []),
    ],
)
def test_a_closed_pipe_is_no_failed_proof(words, files, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "dynagen", *words]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert done.returncode == 141  # what shells say of programs that a closed pipe has ended
    assert "Error" not in done.stderr
    assert os.listdir(tmp_path) == files


def test_a_closed_standard_output_is_no_failure(tmp_path):
    """Daemons have none: Python's sys.stdout is None there."""
    command = f"exec {sys.executable} -m dynagen planar3 --no-verify --out out >&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, os.listdir(tmp_path)) == (0, ["out"])
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_said_in_a_line(tmp_path):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "dynagen", "check", "puma560"]
        done = subprocess.run(
            command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "dynagen: the report cannot be written to standard output: No space left"
    )


def test_a_folder_is_no_description(run):
    status, _, err = run("check", ".")
    assert (status, err) == (2, "dynagen: `.` is a folder: name a description in the folder\n")
