"""`--trig compact`: sine and cosine in single precision, without the C library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from dynagen.codegen.targets.folder import write_folder
from dynagen.codegen.trigonometry import COMPACT_REACH
from dynagen.errors import UsageError
from dynagen.pipeline.driver import Settings, generate
from dynagen.pipeline.generation import check_settings
from dynagen.robot.loading import load_robot

# Prints sine and cosine of the angles on standard input, as bytes.
CALLER = """
#include <stdio.h>
#include "planar3_sincos.h"
int main(void)
{
    float x, results[4];
    while (fread(&x, sizeof x, 1, stdin) == 1) {
        PLANAR3_SINCOS(x, results[0], results[1]);
        results[2] = PLANAR3_SIN(x);
        results[3] = PLANAR3_COS(x);
        (void)fwrite(results, sizeof results, 1, stdout);
    }
    return 0;
}
"""
STRICT = "-std=c99 -O2 -Wall -Wextra -Wconversion -Wdouble-promotion -Wshadow -pedantic -Werror"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("planar3")
    settings = Settings("c", ("inverse_dynamics",), states=50, real="float", trig="compact")
    write_folder(made, generate(load_robot("planar3"), settings).files)
    return made


def build(folder: Path, *sources: str) -> Path:
    command = ["gcc", *STRICT.split(), "-Iinclude", "-Isrc", *sources, "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "program"


def compute(folder: Path, angles: np.ndarray) -> np.ndarray:
    (folder / "caller.c").write_text(CALLER)
    program = build(folder, "caller.c")
    done = subprocess.run([program], input=angles.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout, np.float32).reshape(-1, 4)


def test_errors_stay_within_the_documented_bound_up_to_the_reach(folder: Path) -> None:
    random = np.random.default_rng(1)
    multiples = (np.arange(-7639, 7640) * np.pi / 2).astype(np.float32)
    angles = np.concatenate(
        [
            random.uniform(-12000, 12000, 400_000),
            random.uniform(-4, 4, 400_000),
            np.exp(random.uniform(-40, 9, 50_000)),
            multiples,
            np.nextafter(multiples, np.float32(np.inf)),
            [0.0, 12000.0, -12000.0],
        ]
    ).astype(np.float32)
    found = compute(folder, angles).astype(float)
    exact = angles.astype(float)
    assert np.abs(found[:, 0] - np.sin(exact)).max() <= 8e-8
    assert np.abs(found[:, 1] - np.cos(exact)).max() <= 8e-8
    assert (found[:, :2] == found[:, 2:]).all()


def test_beyond_the_reach_there_is_no_number(folder: Path) -> None:
    beyond = [12001, -12001, 1e30, -np.inf, np.inf, np.nan]
    assert np.isnan(compute(folder, np.array(beyond, np.float32))).all()


def test_the_golden_test_passes_without_the_mathematics_library(folder: Path) -> None:
    program = build(folder, "test/planar3_golden.c", "src/planar3_inverse_dynamics.c")
    assert subprocess.run([program], check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "settings",
    [
        Settings("c", trig="compact"),
        Settings("fortran", trig="compact", real="float"),
        Settings("c", trig="compact", real="float", batch=True),
        Settings("c", trig="compact", real="float", target="wheel"),
    ],
)
def test_it_is_refused_where_it_is_not_offered(settings: Settings) -> None:
    with pytest.raises(UsageError, match="--trig compact"):
        check_settings(settings)


@pytest.mark.parametrize("trig", ["libm", "vector", "compact"])
def test_the_readme_of_code_with_the_library_names_the_faster_methods(trig: str) -> None:
    settings = Settings("c", ("gravity_forces",), real="float", trig=trig, verify=False)
    files = generate(load_robot("pendulum"), settings).files
    readme = next(file.text for file in files if file.path == "README.md")
    hint = "On a computer, `--trig vector` is faster"
    assert (hint in readme) == (trig == "libm")


def test_the_readme_names_the_largest_angle(folder: Path) -> None:
    readme = (folder / "README.md").read_text()
    assert f"Joint angles are at most {COMPACT_REACH} rad" in readme
    assert "any finite numbers" not in readme
    beyond = compute(folder, np.array([float(COMPACT_REACH) * 1.5], np.float32))
    assert np.isnan(beyond).all()
