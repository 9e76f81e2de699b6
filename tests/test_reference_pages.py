"""docs/reference/ says what the program says; every key, option and function is there, with what a
user needs to know.
"""

from __future__ import annotations

import click
import jsonschema
import pytest

from dynagen.cli.main import dynagen
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.requests import find_functions
from dynagen.robot.formats.yaml.schema import RobotSchema
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
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


@pytest.mark.parametrize("robot", ["panda", "two_arm", "ur5"])
def test_shapes_in_words_are_those_of_robots_with_fixed_links_and_branches(robot):
    description = load_robot(robot)
    model = build_model(description)
    joints = [link for link in description.links if link.joint.moves]
    links = {link.name: link for link in description.links}

    def carriers(link):
        """Moving joints between a link and the base, its own included."""
        path = set()
        while link is not None:
            path |= {link.name} if link.joint.moves else set()
            link = links.get(link.parent)
        return path

    # s: ten of each link, also of fixed ones, and one of each joint that moves.
    standard = 10 * len(description.links) + len(joints)
    # c: pairs of a joint with itself or with a joint that carries it.
    pairs = sum(len(carriers(link)) for link in joints)
    shapes = {
        function.name: function.outputs(model)[0].shape
        for function in find_functions(["regressor", "background"], model)
    }
    assert shapes["regressor"] == (len(joints), standard)
    assert shapes["background"] == (pairs + len(joints),)
    words = " ".join(reference_pages.pages()["functions.md"].split())
    assert "s is the number of standard parameters: ten of each link, also of fixed ones" in words
    assert "| `Y` | out | n x s |" in words
    assert "| `state` | out | c + n |" in words
