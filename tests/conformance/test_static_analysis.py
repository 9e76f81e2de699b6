"""cppcheck finds nothing in generated C; its MISRA addon finds what docs/misra.md lists."""

import re
import subprocess
from pathlib import Path

import pytest

from dynagen.codegen.targets.folder import write_folder
from tests.support.loaded_arm import EVERY_FUNCTION, SOME_FUNCTIONS, loaded_arm_in_c

MISRA = Path(__file__).parents[2] / "docs" / "misra.md"


@pytest.fixture(
    scope="module",
    params=[("double", EVERY_FUNCTION), ("float", SOME_FUNCTIONS)],
    ids=["every function in double", "some functions in float"],
)
def findings(request, tmp_path_factory):
    """Return cppcheck's findings for functions of an arm, one per line: folder/file [rule]."""
    folder = tmp_path_factory.mktemp("generated")
    real, functions = request.param
    write_folder(folder, loaded_arm_in_c(real, functions=functions).files)
    command = [
        "cppcheck",
        "--quiet",
        "--std=c99",
        "--language=c",
        "-Iinclude",
        "--enable=all",
        "--inconclusive",
    ]
    command += [
        "--suppress=missingIncludeSystem",
        "--addon=misra",
        "--template={file} [{id}]",
        "--template-location=",
    ]
    done = subprocess.run(
        [*command, "src", "test", "example"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    return done.stderr.splitlines()


def documented():
    """The rules that docs/misra.md answers for."""
    kernels, programs = MISRA.read_text().split("## Example and golden test")
    texts = {"kernels": kernels, "programs": programs}
    return {
        name: set(re.findall(r"^\| ([\d.]+) \|", text, re.MULTILINE))
        for name, text in texts.items()
    }


@pytest.mark.slow
@pytest.mark.tools
def test_cppcheck_has_nothing_to_say(findings):
    assert [finding for finding in findings if "[misra-c2012-" not in finding] == []


@pytest.mark.slow
def test_misra_findings_are_those_that_are_answered_for(findings):
    found = {"kernels": set(), "programs": set()}
    for path, rule in re.findall(
        r"^(\w+)/.*\[misra-c2012-([\d.]+)\]$", "\n".join(findings), re.MULTILINE
    ):
        found["kernels" if path in ("src", "include") else "programs"].add(rule)
    found["kernels"].add(
        "10.6"
    )  # of two rules that one place breaks cppcheck names the first, 10.4
    assert found == documented()


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """A folder in which some functions of the arm were delivered."""
    folder = tmp_path_factory.mktemp("delivered")
    write_folder(folder, loaded_arm_in_c("double", functions=SOME_FUNCTIONS).files)
    return folder


@pytest.mark.slow
@pytest.mark.tools
def test_the_delivered_list_has_the_rules_that_are_documented(delivered):
    listed = {"kernels": set(), "programs": set()}
    for rule, path in re.findall(
        r"^misra-c2012-([\d.]+):\*(\w+)/\*$", (delivered / "misra.txt").read_text(), re.MULTILINE
    ):
        listed["kernels" if path in ("src", "include") else "programs"].add(rule)
    assert listed == documented()


@pytest.mark.slow
@pytest.mark.tools
def test_with_the_delivered_list_cppcheck_is_silent(delivered):
    (command,) = re.findall(
        r"^#   (cppcheck .*)$", (delivered / "misra.txt").read_text(), re.MULTILINE
    )
    command = [*command.split(), "--quiet", "--enable=all"]
    done = subprocess.run(command, cwd=delivered, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
