"""Pages of docs/reference/: descriptions, command line, functions, targets, errors; docs/errata.md.

    python scripts/reference_pages.py

The command writes the pages from texts of the program, such as help texts and docstrings. A test
fails if a page differs from the program.
"""

from __future__ import annotations

import csv
import inspect
import textwrap
from pathlib import Path
from typing import Any

import rich_click as click

from dynagen import errors
from dynagen.apps.literature.errata.report import errata_page
from dynagen.cli.commands import Command, list_groups
from dynagen.cli.listings import list_properties
from dynagen.cli.main import dynagen
from dynagen.codegen.targets import TARGETS
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.program import Argument
from dynagen.robot import arithmetic, literals
from dynagen.robot.formats.yaml.schema import RobotSchema
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference"
_COUNTED = ("planar3", "scara", "puma560", "ur5", "panda")
_COUNTS = ROOT / "tests" / "golden" / "counts.csv"
_WIDTH = 125


def pages() -> dict[str, str]:
    """Return all pages by the names of their files."""
    return {
        "description.md": description_page(),
        "command_line.md": command_line_page(),
        "functions.md": functions_page(),
        "targets.md": targets_page(),
        "errors.md": errors_page(),
        "../errata.md": _text(errata_page()),
    }


def description_page() -> str:
    """Return the page on descriptions: meaning, unit, default and example of every key."""
    schema = RobotSchema.model_json_schema()
    sections = {"RobotSchema": schema, **schema["$defs"]}
    page = ["# Robot descriptions, key by key", "", *_wrapped(_INTRODUCTION), ""]
    for name in _in_order("RobotSchema", sections):
        page += [f"## {_title(name)}", "", *_paragraphs(sections[name]["description"]), ""]
        page += ["| key | value | meaning | default | example |", "| --- | --- | --- | --- | --- |"]
        required = sections[name].get("required", ())
        for key, field in sections[name]["properties"].items():
            default = "required" if key in required else _default(field)
            examples = " or ".join(
                f"`{key}: {_yaml(example)}`" for example in field.get("examples", ())
            )
            page.append(
                _row(
                    f"`{key}`",
                    _value(field),
                    _capitalised(field.get("description", "")),
                    default,
                    examples,
                )
            )
        page.append("")
    page += ["## Numbers", "", *_paragraphs(_numbers())]
    return _text(page)


_INTRODUCTION = """This page lists every key of a robot description in YAML. `dynagen check
arm.yaml` reads a description, reports its mistakes and prints the robot. A description is one YAML
document. Numbers are exact, in SI units and radians, and may be arithmetic expressions. Unknown
keys are rejected. `dynagen schema` prints the keys as a JSON Schema for editors. The two
Denavit-Hartenberg conventions are as in textbooks: `modified` as in Craig and in Khalil and
Dombre, `standard` as in Paul and in Spong."""


def _numbers() -> str:
    """Return the section on numbers in descriptions."""
    functions, constants = (
        ", ".join(f"`{name}`" for name in arithmetic.FUNCTIONS),
        ", ".join(arithmetic.CONSTANTS),
    )
    return (
        "A number is a decimal (`0.4318`, `1e-3`) or an arithmetic expression. An expression may "
        f"contain numbers, `{constants}`, the names under `parameters`, the operators "
        f"`+ - * / **`, parentheses, and the functions {functions}. `deg(90)` is `pi/2`. "
        "Expressions are never executed as code. A decimal that is a multiple of pi/12, cut or "
        "rounded after four or more decimals (`1.5708`), is read as that multiple, with a note. "
        f"Powers are integers from -{arithmetic.MAX_POWER} to {arithmetic.MAX_POWER}. A text has "
        f"at most {arithmetic.MAX_LENGTH} characters; the magnitude of a number is at most "
        f"1e{literals.MAX_MAGNITUDE}."
    )


def _in_order(name: str, sections: dict[str, Any]) -> list[str]:
    """Return the names of a schema section and, after it, of all sections that its keys use."""
    found = [name]
    for field in sections[name]["properties"].values():
        for reference in _references(field):
            found += [each for each in _in_order(reference, sections) if each not in found]
    return found


def _references(field: Any) -> list[str]:
    """Return the names of the schema's sections to which a field of the schema refers."""
    if isinstance(field, dict):
        here = [str(field["$ref"]).rpartition("/")[2]] if "$ref" in field else []
        return here + [each for value in field.values() for each in _references(value)]
    return (
        [each for value in field for each in _references(value)] if isinstance(field, list) else []
    )


def _title(name: str) -> str:
    """Return the heading of a section."""
    words = {
        "RobotSchema": "Top level",
        "DenavitHartenbergSchema": "dh",
        "ParameterSchema": "parameters",
    }
    plurals = {"LinkSchema": "links", "FrameSchema": "frames", "BearingSchema": "bearings"}
    return {**words, **plurals}.get(name, name.removesuffix("Schema").lower())


def _value(field: dict[str, Any]) -> str:
    """Return the values that a key accepts, in words."""
    if "$ref" in field:
        name = _title(str(field["$ref"]).rpartition("/")[2])
        return f"[{name}](#{name.replace(' ', '-').lower()})"
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"])
    choices = field.get("anyOf") or field.get("oneOf") or ()
    if [each.get("type") for each in choices] == ["number", "string"]:
        return "number"
    if choices:
        return " or ".join(dict.fromkeys(map(_value, choices)))
    if field["type"] == "array":
        items, least = _value(field["items"]), field.get("minItems")
        if least is None or least != field.get("maxItems"):
            return f"list of {items}"
        return f"{least} numbers" if items == "number" else f"{least} rows of {items}"
    if field["type"] == "object" and field["additionalProperties"] is False:
        return f"names {', '.join(field['properties'])} with numbers"
    if field["type"] == "object":
        return f"names, each with {_value(field['additionalProperties'])}"
    return {"string": "text", "boolean": "`true` or `false`"}[field["type"]]


def _default(field: dict[str, Any]) -> str:
    """Return the default of a key as YAML; empty without a default."""
    default = field.get("default")
    if default in (None, "", [], {}):
        return ""
    return f"`{_yaml(default)}`"


def _yaml(example: Any) -> str:
    """Return an example in one line of YAML."""
    if isinstance(example, dict):
        return "{" + ", ".join(f"{key}: {_yaml(value)}" for key, value in example.items()) + "}"
    if isinstance(example, list):
        return "[" + ", ".join(map(_yaml, example)) + "]"
    return str(example).lower() if isinstance(example, bool) else str(example)


def command_line_page() -> str:
    """Return the page on the command line: every command with its options."""
    page = ["# The command line", "", *_paragraphs(_help(dynagen)), ""]
    page += [*_wrapped(_COMMAND_LINE), ""]
    context = click.Context(dynagen, info_name="dynagen")
    for name in dynagen.list_commands(context):
        command = dynagen.get_command(context, name)
        assert command is not None
        usage = command.get_usage(click.Context(command, context, info_name=name)).removeprefix(
            "Usage: "
        )
        page += [
            f"## dynagen {name}",
            "",
            f"`{' '.join(usage.split())}`",
            "",
            *_paragraphs(_help(command)),
            "",
        ]
        assert isinstance(command, Command)
        page += ["```sh", *command.examples, "```", ""]
        options = _group_options(command)
        if options:
            page += ["| group | option | value | meaning | default |"]
            page += ["| --- | --- | --- | --- | --- |"]
        group = ""
        for option in options:
            heading = "" if option.panel == group else str(option.panel)
            group = str(option.panel)
            spelt = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
            page.append(
                _row(
                    heading,
                    spelt,
                    _option_value(option),
                    (option.help or "").replace("<", "&lt;"),
                    _option_default(option),
                )
            )
        page += [""] if options else []
    return _text(page)


_COMMAND_LINE = """Every command shows its options in groups with `--help`, as does `dynagen help
COMMAND`. `-o` names what a command writes, `--html` a page for a browser, `--figure` a picture
(.svg, .png or .pdf), and `--format` the form of the report on standard output (`json` for
programs). [docs/usage.md](../usage.md) explains shell completion."""


def _group_options(command: Command) -> list[click.RichOption]:
    """Return the options of a command in the order of its help."""
    groups = list_groups(command)
    options = [option for option in command.params if isinstance(option, click.RichOption)]
    return sorted(options, key=lambda option: groups.index(str(option.panel)))


def _help(command: click.Command) -> str:
    """Return the help of a command, with preformatted paragraphs as blocks of code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        f"```\n{each[2:]}\n```" if each.startswith("\b\n") else each for each in paragraphs
    )


def _option_value(option: click.Option) -> str:
    """Return the values that an option accepts, in words."""
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{choice}`" for choice in option.type.choices)
    if isinstance(option.type, click.types.IntParamType):
        return "integer"
    return option.metavar or option.type.name


def _option_default(option: click.Option) -> str:
    """Return the default of an option; empty if help does not show it."""
    if option.is_flag or not option.show_default:
        return ""
    default = option.get_default(click.Context(dynagen))
    return ", ".join(
        f"`{each}`" for each in (default if isinstance(default, tuple) else (default,))
    )


def functions_page() -> str:
    """Return the page on functions: formula, arguments, shapes, methods and operation counts."""
    small, large = (build_model(load_robot(name)) for name in ("planar3", "puma560"))
    page = ["# Functions", "", *_wrapped(_FUNCTIONS), ""]
    for function in FUNCTIONS:
        page += [f"## {function.name}", "", f"`{function.formula}`", ""]
        page += ["| argument | | shape | meaning | unit |", "| --- | --- | --- | --- | --- |"]
        for way, arguments in (("in", function.inputs), ("out", function.outputs)):
            for few, many in zip(arguments(small), arguments(large), strict=True):
                page.append(
                    _row(
                        f"`{many.name}`",
                        way,
                        "m" if "theta" in many.name else _shape(few, many),
                        # The two robots have no elastic joints.
                        _capitalised(many.meaning.replace(" ()", "")),
                        _units(many),
                    )
                )
        methods = [name for name in function.methods if name]
        page += (
            [
                "",
                f"Methods (`--method`): {', '.join(methods)}. By default the cheapest one is used.",
            ]
            if methods
            else []
        )
        if operations := _operations(function.name):
            page += ["", f"Operations (mul + add + div): {operations}."]
        page += (
            ["", "Also for a named frame: " + f"`{function.name}@camera`."]
            if function.availability.for_frame
            else []
        )
        page += (
            ["", "Not included in `all`: request it by name."]
            if function.availability.on_request
            else []
        )
        page.append("")
    return _text(page)


_FUNCTIONS = """This page lists every function that dynagen generates, with its arguments. `dynagen
puma560 -f mass_matrix` generates one. Shapes are for n moving joints. s is the number of standard
parameters: ten of each link, also of fixed ones, and one of each joint's motor. p is the number of
base parameters, which the generator computes. c is the number of inertia coefficients: entries of
the lower triangle of the mass matrix between joints on one branch, n(n + 1)/2 for a chain. m is the
number of elastic joints. Functions that can fail, such as `inverse_kinematics`, return a status
too: 0 is success. Matrices are row-major in C and Python and have their natural shape in Fortran.
Units are for revolute joints; prismatic joints have m, N and kg instead
of rad, N m and kg m^2. Payloads, external wrenches and run-time parameters add arguments: see
[docs/parameters.md](../parameters.md)."""


def _operations(function: str) -> str:
    """Return the operation counts of a function for some robots, as text such as `panda 500`."""
    with _COUNTS.open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if (row["variant"], row["function"]) == ("default", function)
        ]
    totals = {row["robot"]: row["total"] for row in rows}
    return ", ".join(f"{robot} {totals[robot]}" for robot in _COUNTED if robot in totals)


def _shape(few: Argument, many: Argument) -> str:
    """Return an argument's shape as formulas in n joints, from the shapes for n = 3 and n = 6."""
    dimensions = map(_dimension, few.shape, many.shape)
    several = len(few.shape) > 1
    return (
        " x ".join(f"({each})" if several and " " in each else each for each in dimensions) or "1"
    )


def _dimension(at_3: int, at_6: int) -> str:
    """Return an array dimension as a formula in n joints, from its values for n = 3 and n = 6."""
    if at_3 == at_6:
        return str(at_3)
    # Two chains: 3 and 6 links with 11 parameters each, and 6 and 21 inertia coefficients.
    known = {(3, 6): "n", (9, 18): "3n", (33, 66): "s", (39, 78): "s + 2n", (9, 27): "c + n"}
    return known.get((at_3, at_6), "p + 2n" if at_6 > 45 else "p")


def _units(argument: Argument) -> str:
    """Return the different units of an argument's elements."""
    return ", ".join(dict.fromkeys(unit or "1" for unit in argument.units))


def targets_page() -> str:
    """Return the page on targets: users, languages, files, options, requirements and proof."""
    page = ["# Targets", "", *_wrapped(_TARGETS), ""]
    for target in TARGETS:
        page += [f"## {target.name}", "", "| property | value |", "| --- | --- |"]
        page += [_row(title, _escaped(text)) for title, text in list_properties(target).items()]
        page.append("")
    return _text(page)


_TARGETS = """A target is a form of delivery for certain users: `dynagen ROBOT --target NAME`.
`dynagen targets` prints this list, with `--format json` for programs. [docs/usage.md](../usage.md)
explains how commands treat targets."""


def _escaped(text: str) -> str:
    """Return text whose angle brackets and underscores are not markup."""
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("_", "\\_")


def errors_page() -> str:
    """Return the page on errors: every error that a user can cause, with its exit status."""
    page = ["# Errors", "", *_wrapped(_ERRORS), ""]
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.DynagenError):
            page += [f"## {kind.__name__}", "", f"Exit status {kind.exit_code}.", ""]
            page += [*_paragraphs(inspect.getdoc(kind) or ""), ""]
    return _text(page)


_ERRORS = """This page lists the errors that dynagen reports. In Python all of them are subclasses
of `dynagen.errors.DynagenError`. On the command line the message goes to standard error. The exit
status is 0 for success, 1 for a failed proof, stale output or a simulation that ended early, 2 for
invalid input, 3 for a missing toolchain, 130 after an interrupt, and 141 if the reader of the
output has closed the pipe. A traceback appears only with `--debug`."""


def _row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _capitalised(text: str) -> str:
    """Return text with its first letter changed to a capital."""
    return text[:1].upper() + text[1:]


def _paragraphs(text: str) -> list[str]:
    """Return the text with wrapped paragraphs, except blocks of code and indented lines."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        kept = paragraph.startswith(("```", "    ", "Attributes:"))
        lines += [*(paragraph.splitlines() if kept else _wrapped(paragraph)), ""]
    return lines[:-1]


def _wrapped(text: str) -> list[str]:
    """Return the lines of a wrapped paragraph."""
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _text(lines: list[str]) -> str:
    """Return the text of a page, with one newline at the end."""
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
