"""docs/reference/ says what the program says; every key, option and function is there, with what a
user needs to know.
"""

from __future__ import annotations

import click
import jsonschema
import pytest

from dynagen.cli.main import dynagen
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.robot.formats.yaml.schema import RobotSchema
from scripts import reference_pages

SCHEMA = RobotSchema.model_json_schema()
SECTIONS = {"RobotSchema": SCHEMA, **SCHEMA["$defs"]}


@pytest.mark.parametrize(
    ("name", "text"), reference_pages.pages().items(), ids=lambda value: value[:20]
)
def test_pages_are_what_the_program_says_now(name, text):
    committed = (reference_pages.FOLDER / name).read_text(encoding="utf-8")
    assert committed == text, "make reference writes the pages anew; read the difference"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_has_a_description_and_examples_that_are_accepted(section):
    assert SECTIONS[section]["description"]
    page = reference_pages.description_page()
    for key, field in SECTIONS[section]["properties"].items():
        assert field["description"], key
        assert f"| `{key}` |" in page
        assert field["examples"], key
        for example in field["examples"]:
            jsonschema.validate(example, {**field, "$defs": SCHEMA["$defs"]})


def test_every_command_and_option_says_what_it_does():
    page = reference_pages.command_line_page()
    for name in dynagen.list_commands(click.Context(dynagen)):
        command = dynagen.get_command(click.Context(dynagen), name)
        assert f"## dynagen {name}\n" in page
        assert command.help, name
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, (name, option.name)
                assert f"`{option.opts[-1]}`" in page


def test_every_function_has_formula_shapes_and_units():
    page = reference_pages.functions_page()
    for function in FUNCTIONS:
        section = page.partition(f"## {function.name}\n")[2].partition("\n## ")[0]
        assert f"`{function.formula}`" in section
        assert "| out |" in section
