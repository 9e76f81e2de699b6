"""examples/torch_batch: training lowers the cost, as the README says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "torch_batch"


@pytest.mark.torch
def test_training_holds_the_robots_upright():
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=EXAMPLE, check=True, capture_output=True, text=True,
    )  # fmt: skip
    before, after = map(float, re.search(r"cost ([\d.]+) -> ([\d.]+)", done.stdout).groups())
    few, many = map(float, re.search(r"(\d+)% -> (\d+)% of", done.stdout).groups())
    assert after < before
    assert few < many > 90
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert all(line in readme for line in done.stdout.splitlines())
