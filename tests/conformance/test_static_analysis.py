"""cppcheck is silent about generated C, and its MISRA addon finds what docs/misra.md answers for: no more and no less."""

import re
import subprocess
from pathlib import Path

import pytest
from loaded_arm import loaded_arm_in_c

from dynagen.delivery.folder import write_folder

MISRA = Path(__file__).parents[2] / "docs" / "misra.md"


@pytest.fixture(scope="module", params=["double", "float"])
def findings(request, tmp_path_factory):
    """What cppcheck says about every function of an arm that has everything, a line each: folder/file [rule]."""
    folder = tmp_path_factory.mktemp("generated")
    write_folder(folder, loaded_arm_in_c(request.param).files)
    command = ["cppcheck", "--quiet", "--std=c99", "--language=c", "-Iinclude", "--enable=all", "--inconclusive"]
    command += ["--suppress=missingIncludeSystem", "--addon=misra", "--template={file} [{id}]", "--template-location="]
    done = subprocess.run([*command, "src", "test", "example"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr.splitlines()


@pytest.mark.slow
def test_cppcheck_has_nothing_to_say(findings):
    assert [finding for finding in findings if "[misra-c2012-" not in finding] == []


@pytest.mark.slow
def test_misra_findings_are_those_that_are_answered_for(findings):
    found = {"kernels": set(), "programs": set()}
    for path, rule in re.findall(r"^(\w+)/.*\[misra-c2012-([\d.]+)\]$", "\n".join(findings), re.MULTILINE):
        found["kernels" if path in ("src", "include") else "programs"].add(rule)
    kernels, programs = MISRA.read_text().split("## Example and golden test")
    documented = {
        name: set(re.findall(r"^\| ([\d.]+) \|", text, re.MULTILINE))
        for name, text in (("kernels", kernels), ("programs", programs))
    }
    assert found == documented
