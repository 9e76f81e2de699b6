"""`generated/` is what dynagen makes today of the robots of today; `make generate` rewrites it."""

from dataclasses import replace
from pathlib import Path

import pytest

from dynagen.codegen.languages import LANGUAGES, find_language
from dynagen.codegen.targets.assembly import assemble
from dynagen.codegen.targets.manifest import read_folder
from dynagen.ir.program import PREPARE
from dynagen.pipeline.driver import Settings
from dynagen.robot.loading import load_robot
from tests.support.generated_once import generated

GENERATED = Path(__file__).parents[2] / "generated"
FOLDERS = [f"{robot}/{language.name}" for robot in ("planar3", "puma560") for language in LANGUAGES]


def test_every_folder_is_compared():
    assert sorted(str(path.relative_to(GENERATED)) for path in GENERATED.glob("*/*")) == sorted(
        FOLDERS
    )


def package_of(robot, requests):
    """What all languages write, each in its own way."""
    return generated(load_robot(robot), Settings(functions=requests)).package


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_committed_code_has_not_drifted(name):
    folder = GENERATED / name
    robot, language = name.split("/")
    requests = tuple(
        kernel.request for kernel in read_folder(folder).kernels if kernel.signature.name != PREPARE
    )
    written_in = find_language(language)
    made = package_of(robot, requests)
    if switches := dict.fromkeys(written_in.always, True):
        made = replace(made, choices=made.choices | switches, **switches)
    expected = assemble(made, written_in)
    assert sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
    ) == sorted(file.path for file in expected)
    for file in expected:
        assert (folder / file.path).read_text(encoding="utf-8") == file.text, (
            f"{name}/{file.path}: run `make generate`"
        )
