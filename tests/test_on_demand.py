"""Tables of objects and functions that are imported when they are first used."""

import subprocess
import sys

import pytest

from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.targets import TARGETS
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.on_demand import Registry, import_on_call
from dynagen.robot.loading import SYNTAXES


@pytest.mark.parametrize(
    "table", [FUNCTIONS, LANGUAGES, TARGETS], ids=["functions", "languages", "targets"]
)
def test_every_object_of_a_table_has_its_name(table):
    assert [each.name for each in table] == list(table.names)
    assert [table[place] for place in range(len(table))] == list(table)
    assert table[1:3] == [table.find(name) for name in table.names[1:3]]


def test_a_table_imports_an_object_when_it_is_used():
    table = Registry({"half": "no_such_module.HALF", "pi": "math.pi"})
    assert table.names == ("half", "pi")
    assert len(table) == 2
    assert table.find("pi") > 3
    with pytest.raises(ModuleNotFoundError):
        table.find("half")


def test_a_function_is_imported_when_it_is_called():
    missing = import_on_call("no_such_module.function")
    with pytest.raises(ModuleNotFoundError):
        missing()
    assert import_on_call("math.hypot")(3, 4) == 5


def test_every_function_of_a_format_exists():
    for syntax in SYNTAXES:
        for function in (syntax.read, syntax.expand, syntax.write):
            if function is not None:
                with pytest.raises(TypeError, match="missing"):
                    function()


def test_compiling_imports_only_the_language_and_the_target_in_use():
    program = """
import sys
import dynagen.runtime.api
from dynagen.pipeline.generation import check_settings
from dynagen.pipeline.settings import Settings

check_settings(Settings(prefix="robot", batch=True))
print(*sys.modules)
"""
    modules = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {f"dynagen.codegen.languages.{name}" for name in LANGUAGES.names}.intersection(
        modules
    ) == {"dynagen.codegen.languages.c"}
    assert {f"dynagen.codegen.targets.{name}" for name in TARGETS.names}.intersection(modules) == {
        "dynagen.codegen.targets.folder"
    }
    assert "dynagen.dynamics.functions.derivatives" not in modules
    assert "dynagen.robot.formats.urdf.reading" not in modules
