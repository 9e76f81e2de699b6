"""Whoever reads no further, as `| head`, ends the report and nothing else."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("words", "files"), [(("puma560", "--no-verify", "--out", "out"), ["out"]), (("schema",), []), (("check", "puma560"), [])]
)
def test_a_closed_pipe_is_no_failed_proof(words, files, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "dynagen", *words]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 141  # what shells say of programs that a closed pipe has ended
    assert "Error" not in done.stderr
    assert os.listdir(tmp_path) == files
