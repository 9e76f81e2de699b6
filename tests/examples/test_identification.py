"""examples/identification: an excited, logged and identified arm has the parameters of its
description, as the README says.
"""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "identification"


def rows(text):
    """Name, described, identified and standard deviation of every parameter that is printed."""
    cells = (line.split() for line in text.splitlines() if line)
    return {
        name: tuple(map(float, numbers))
        for name, *numbers in cells
        if "." in name and len(numbers) == 3
    }


@pytest.mark.slow
def test_the_parameters_are_found_again():
    done = subprocess.run(
        [sys.executable, "identify.py"], cwd=EXAMPLE, check=True, capture_output=True, text=True
    )
    printed = rows(done.stdout)
    assert len(printed) == 20
    for described, identified, deviation in printed.values():
        assert abs(identified - described) < 4 * deviation < 0.1
    readme = rows((EXAMPLE / "README.md").read_text(encoding="utf-8"))
    assert {name: row[0] for name, row in readme.items()} == {
        name: row[0] for name, row in printed.items()
    }
    identified, true = (tuple(map(float, line.split())) for line in done.stdout.splitlines()[-2:])
    assert len(identified) == 3
    assert all(one < 1.05 * other for one, other in zip(identified, true, strict=True))
