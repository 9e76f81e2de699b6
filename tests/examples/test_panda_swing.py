"""examples/panda_swing: both solvers find the plan, and the loop follows it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "panda_swing"


@pytest.mark.slow
@pytest.mark.tools
def test_acados_follows_the_plan_of_ipopt():
    done = subprocess.run(
        [sys.executable, "swing.py"], cwd=EXAMPLE, check=True, capture_output=True, text=True
    )
    cost, iterations = re.search(r"cost ([\d.]+) after (\d+) iterations", done.stdout).groups()
    assert float(cost) == pytest.approx(0.84566, abs=1e-5)
    assert int(iterations) < 80
    assert "distance from the plan below 1e-6: True" in done.stdout
    without, following = map(float, re.findall(r"at most ([\d.]+) rad", done.stdout))
    assert following < 0.1 < 0.5 < without
