"""examples/go2_turn: the plan turns the trunk, and a finer simulation confirms it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "go2_turn"


@pytest.mark.slow
@pytest.mark.tools
def test_the_trunk_is_level_after_the_fall():
    done = subprocess.run(
        [sys.executable, "turn.py"], cwd=EXAMPLE, check=True, capture_output=True, text=True
    )
    tilts = re.search(r"tilt of the trunk: ([\d.]+) -> ([\d.]+) degrees", done.stdout)
    assert tuple(map(float, tilts.groups())) == (30.0, 0.0)
    assert float(re.search(r"0.1 ms: ([\d.]+) degrees", done.stdout)[1]) < 0.5
    assert float(re.search(r"at most ([\d.]+) kg m\^2/s", done.stdout)[1]) < 0.01
    assert "joints within their speeds: True" in done.stdout
