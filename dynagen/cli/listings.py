"""The commands `functions`, `targets`, `robots`, `schema` and `help`, which list information."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain, repeat
from pathlib import Path

import rich_click as click
from rich.markup import escape
from rich.table import Table

from dynagen.cli.commands import command
from dynagen.cli.completion import complete_robot
from dynagen.cli.output import report_form
from dynagen.codegen.targets import TARGETS
from dynagen.codegen.targets.target import Target
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError, suggest_word
from dynagen.report.console import make_console
from dynagen.resources import list_bundled_robots
from dynagen.robot.description import RobotDescription
from dynagen.robot.formats.yaml.schema import RobotSchema
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model


@command("dynagen functions", "dynagen functions | grep jacobian")
def functions() -> None:
    """List the functions that can be generated, with their inputs, outputs and formulas."""
    example = build_model(load_robot("planar3"))  # arguments depend on the robot
    table = Table(box=None)
    table.add_column("function", no_wrap=True)  # names are copied, and searched with grep
    for column in ("inputs", "outputs", "computes"):
        table.add_column(column)
    for function in FUNCTIONS:
        inputs, outputs = (
            ", ".join(argument.name for argument in arguments)
            for arguments in (function.inputs(example), function.outputs(example))
        )
        table.add_row(function.name, inputs, outputs, function.formula)
    make_console().print(table)


@command("dynagen targets", "dynagen targets --format json")
@report_form("text", "json", of="listing")
def targets(form: str) -> None:
    """List the targets of `dynagen ROBOT --target NAME`: forms of delivery and their users."""
    if form == "json":
        click.echo(json.dumps([describe_target(target) for target in TARGETS], indent=2))
        return
    table = Table(box=None)
    for column in ("target", "property", "value"):
        table.add_column(column)
    for target in TARGETS:
        names = chain([target.name], repeat(""))
        for name, (key, value) in zip(names, list_properties(target).items(), strict=False):
            table.add_row(name, key, escape(value))
    make_console().print(table)


def list_properties(target: Target) -> dict[str, str]:
    """Return the properties of a target that are not empty, as a mapping from title to text."""
    properties = {
        "users": target.audience,
        "languages": ", ".join(language.name for language in target.languages),
        "files": ", ".join(target.files),
        "written to": f"{target.out}, as one file" if target.is_one_file else target.out,
        "options": ", ".join(map(_spell, target.options)),
        "always sets": ", ".join(map(_spell, target.always)),
        "requires": ", ".join(target.requirements),
        "proof": target.proof,
    }
    return {title: text for title, text in properties.items() if text}


def describe_target(target: Target) -> dict[str, object]:
    """Return the properties of a target (users, languages, files, ...) as plain data for JSON."""
    return {
        "name": target.name,
        "audience": target.audience,
        "languages": [language.name for language in target.languages],
        "out": target.out,
        "files": list(target.files),
        "one_file": target.is_one_file,
        "options": [_spell(name) for name in target.options],
        "always": [_spell(name) for name in target.always],
        "requires": {"tools": list(target.tools), "extras": list(target.extras)},
        "proof": target.proof,
    }


def _spell(setting: str) -> str:
    """Return the command-line option, such as `--lang`, of a setting in Python."""
    return f"--{setting.replace('_', '-')}"


@command("dynagen robots", "dynagen robots puma560 > my_robot.yaml")
@click.argument("robot", required=False, shell_complete=complete_robot)
def robots(robot: str | None) -> None:
    """List the bundled robots, or print the description of ROBOT.

    A bundled description can be copied as a start for your own.
    """
    if robot is not None:
        click.echo(Path(load_robot(robot).path).read_text(encoding="utf-8"), nl=False)
        return
    table = Table(box=None)
    for column in ("robot", "joints", "source"):
        table.add_column(column)
    for name in list_bundled_robots():
        description = load_robot(name)
        table.add_row(
            name,
            _count_joints(description),
            description.source,
        )
    make_console().print(table)


def _count_joints(description: RobotDescription) -> str:
    """Return the number of moving joints of each type, in words."""
    types = Counter(link.joint.type.name for link in description.links if link.joint.moves)
    return ", ".join(f"{number} {name}" for name, number in types.items())


@command("dynagen schema", "dynagen schema > robot.schema.json")
def schema() -> None:
    """Print the JSON Schema of robot descriptions, with which editors check and complete them.

    The schema checks structure only. `dynagen check` also checks values and names.
    """
    click.echo(json.dumps(make_json_schema(), indent=2))


@command("dynagen help", "dynagen help identify")
@click.argument("command_name", metavar="[COMMAND]", required=False)
@click.pass_context
def help(context: click.Context, command_name: str | None) -> None:
    """Show the help of COMMAND, or the list of commands."""
    group = context.parent
    assert group is not None
    assert isinstance(group.command, click.Group)
    if command_name is None:
        click.echo(group.command.get_help(group))
        return
    asked = group.command.get_command(group, command_name)
    if asked is None:
        names = group.command.list_commands(group)
        raise UsageError(f"there is no command `{command_name}`{suggest_word(command_name, names)}")
    with asked.make_context(command_name, [], parent=group, resilient_parsing=True) as inner:
        click.echo(asked.get_help(inner))


def make_json_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of robot descriptions."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RobotSchema.model_json_schema(),
    }
