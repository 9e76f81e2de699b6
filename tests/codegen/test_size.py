"""Sizes of kernels: estimates agree with gcc's code, in README and manifest too."""

import json
import re
import subprocess
from dataclasses import replace
from functools import lru_cache

import pytest

from dynagen.codegen.languages import find_language
from dynagen.codegen.size import measure_kernel_size
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import generated
from tests.support.packages import render, texts

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "regressor", "inverse_dynamics_derivatives")


@lru_cache
def package(robot="planar3"):
    return generated(load_robot(robot), Settings("c", FUNCTIONS)).package


def measured(made, folder):
    """Measure bytes of code and stack of every kernel with gcc -O2, including segments."""
    found = []
    for file in find_language("c").print_kernels(made):
        (folder / file.path).parent.mkdir(exist_ok=True)
        (folder / file.path).write_text(file.text)
    for kernel in made.kernels:
        source = find_language("c").kernel_path(made, kernel)
        command = [
            "gcc",
            "-std=c99",
            "-O2",
            "-fstack-usage",
            "-Iinclude",
            "-c",
            source,
            "-o",
            "kernel.o",
        ]
        subprocess.run(command, cwd=folder, check=True)
        frames = [
            int(line.split("\t")[1]) for line in (folder / "kernel.su").read_text().splitlines()
        ]
        listing = subprocess.run(
            ["size", "kernel.o"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        found.append(
            (int(listing.splitlines()[1].split()[0]), frames[-1] + max(frames[:-1], default=0))
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "longest", "trig", "real"),
    [
        ("ur5", 10**6, "libm", DOUBLE),
        ("ur5", 400, "libm", DOUBLE),
        ("ur5", 10**6, "vector", DOUBLE),
        ("ur5", 10**6, "vector", FLOAT),
        ("planar3", 10**6, "vector", DOUBLE),
        ("planar3", 10**6, "libm", DOUBLE),
    ],
)
def test_code_and_stack_come_out_as_expected(robot, longest, trig, real, tmp_path):
    made = replace(package(robot), longest=longest, trig=trig, real=real)
    sizes = [measure_kernel_size(made, kernel) for kernel in made.kernels]
    assert any(size.segments > 1 for size in sizes) == (longest == 400)
    for size, (code, stack) in zip(sizes, measured(made, tmp_path), strict=True):
        assert 2 / 3 <= code / size.code <= 4 / 3
        assert 2 / 3 <= stack / size.stack <= 4 / 3


def test_float_takes_half_the_stack_of_values():
    (double, *_), (single, *_) = (
        [measure_kernel_size(made, kernel) for kernel in made.kernels]
        for made in (package(), replace(package(), real=FLOAT))
    )
    assert double.stack - single.stack == pytest.approx(0.9 * 4 * double.live, abs=8)


@pytest.mark.language_can("sizes")
def test_readme_and_manifest_say_the_same(language):
    files = texts(render(language, package()))
    kernels = json.loads(files["planar3.manifest.json"])["kernels"]
    rows = re.findall(
        r"^\| `planar3_(\w+)` \| (\d+) \| (\d+) bytes \| (\d+) bytes \| ([\d.]+) s \|$",
        files["README.md"],
        re.M,
    )
    assert [name for name, *_ in rows] == list(kernels)
    for name, statements, code, stack, seconds in rows:
        size = kernels[name]["size"]
        assert (int(statements), size["segments"]) == (size["statements"], 1)
        expected = {
            "of": size["expected"]["of"],
            "code_bytes": int(code),
            "stack_bytes": int(stack),
            "seconds": float(seconds),
        }
        assert size["expected"] == expected


@pytest.mark.language_can("no sizes")
def test_what_is_not_compiled_has_no_size(language):
    files = texts(render(language, package()))
    assert all(
        "size" not in kernel
        for kernel in json.loads(files["planar3.manifest.json"])["kernels"].values()
    )
    assert " bytes |" not in files["README.md"]


def test_the_readme_says_so_if_kernels_are_in_segments():
    assert (
        "divided into segments" in texts(render("c", replace(package(), longest=40)))["README.md"]
    )
    assert "segments" not in texts(render("c", package()))["README.md"]
