"""cppcheck is silent about generated C, and its MISRA addon finds what docs/misra.md answers for: no more and no less."""

import re
import subprocess
from pathlib import Path

import pytest
from loaded_arm import loaded_arm_in_c

from dynagen.delivery.folder import write_folder

MISRA = Path(__file__).parents[2] / "docs" / "misra.md"


@pytest.fixture(scope="module", params=["double", "float"])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    write_folder(folder, loaded_arm_in_c(request.param).files)
    return folder


def cppcheck(folder, *options):
    command = ["cppcheck", "--quiet", "--std=c99", "--language=c", "-Iinclude", *options]
    done = subprocess.run([*command, "src", "test", "example"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_cppcheck_has_nothing_to_say(folder):
    options = ["--enable=all", "--inconclusive", "--suppress=missingIncludeSystem", "--error-exitcode=1"]
    assert cppcheck(folder, *options) == (0, "")


def test_misra_findings_are_those_that_are_answered_for(folder):
    _, output = cppcheck(folder, "--addon=misra")
    found = {"kernels": set(), "programs": set()}
    for path, rule in re.findall(r"^(\w+)/.*\[misra-c2012-([\d.]+)\]$", output, re.MULTILINE):
        found["kernels" if path in ("src", "include") else "programs"].add(rule)
    kernels, programs = MISRA.read_text().split("## Example and golden test")
    documented = {
        name: set(re.findall(r"^\| ([\d.]+) \|", text, re.MULTILINE))
        for name, text in (("kernels", kernels), ("programs", programs))
    }
    assert found == documented
