"""examples/jax_calibration: the calibrated parameters are the true ones, as the README says."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "jax_calibration"
PARAMETERS = {"tilt", "m_tool", "reach", "m_forearm"}


def rows(text):
    """Return the numbers of every printed parameter, and the residuals."""
    lines = [line.split() for line in text.splitlines() if line]
    residuals = next(line for line in lines if line[:1] == ["residual"])
    parameters = {line[0]: tuple(map(float, line[1:])) for line in lines if line[0] in PARAMETERS}
    return parameters, list(map(float, residuals[7:]))


@pytest.mark.slow
@pytest.mark.tools
def test_the_parameters_are_found():
    done = subprocess.run(
        [sys.executable, "calibrate.py"], cwd=EXAMPLE, check=True, capture_output=True, text=True
    )
    parameters, residuals = rows(done.stdout)
    assert parameters.keys() == PARAMETERS
    for described, true, calibrated, deviation in parameters.values():
        assert abs(calibrated - true) < 4 * deviation < abs(described - true) / 5
    assert residuals[0] > 1 > 0.11 > residuals[-1]
    assert rows((EXAMPLE / "README.md").read_text(encoding="utf-8")) == (parameters, residuals)
