"""docs/reference/: what the program itself says of its format, command line, functions and errors, as pages.

    python scripts/reference_pages.py

writes them; a test fails where they say something else than the program.
"""

from __future__ import annotations

import csv
import inspect
import textwrap
from pathlib import Path
from typing import Any

import click

from dynagen import errors
from dynagen.cli.main import dynagen
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
    """All pages by the names of their files."""
    return {
        "description.md": description_page(),
        "command_line.md": command_line_page(),
        "functions.md": functions_page(),
        "errors.md": errors_page(),
    }


def description_page() -> str:
    """Every key of a description: what it means, its unit and default, and an example."""
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


_INTRODUCTION = """A description is one YAML document. Numbers are in SI units and radians, exact, and may be
arithmetic. Keys that are not listed here are refused. `dynagen schema` prints the same as a JSON Schema for editors,
and `dynagen check` shows what was read. The algorithms and conventions behind the keys are those of the books:
Craig's and Khalil's for `modified`, Paul's and Spong's for `standard` Denavit-Hartenberg parameters."""


def _numbers() -> str:
    functions, constants = (
        ", ".join(f"`{name}`" for name in arithmetic.FUNCTIONS),
        ", ".join(arithmetic.CONSTANTS),
    )
    return (
        f"A number is written in decimals (`0.4318`, `1e-3`), or as arithmetic of numbers, of `{constants}` and of the names "
        f"under `parameters`: `+ - * / **`, parentheses, and the functions {functions}. `deg(90)` is `pi/2`. Nothing is ever "
        "evaluated as code. A bare decimal that is a multiple of pi/12, cut or rounded after four decimals or more "
        f"(`1.5708`), is read as that multiple, with a note. Powers are integers from -{arithmetic.MAX_POWER} to "
        f"{arithmetic.MAX_POWER}; a text has at most {arithmetic.MAX_LENGTH} characters, a number at most the size "
        f"1e{literals.MAX_MAGNITUDE}."
    )


def _in_order(name: str, sections: dict[str, Any]) -> list[str]:
    """A section, and behind it those that its keys lead to."""
    found = [name]
    for field in sections[name]["properties"].values():
        for reference in _references(field):
            found += [each for each in _in_order(reference, sections) if each not in found]
    return found


def _references(field: Any) -> list[str]:
    if isinstance(field, dict):
        here = [str(field["$ref"]).rpartition("/")[2]] if "$ref" in field else []
        return here + [each for value in field.values() for each in _references(value)]
    return (
        [each for value in field for each in _references(value)] if isinstance(field, list) else []
    )


def _title(name: str) -> str:
    words = {
        "RobotSchema": "The whole",
        "DenavitHartenbergSchema": "dh",
        "ParameterSchema": "parameters",
    }
    plurals = {"LinkSchema": "links", "FrameSchema": "frames", "BearingSchema": "bearings"}
    return {**words, **plurals}.get(name, name.removesuffix("Schema").lower())


def _value(field: dict[str, Any]) -> str:
    """What is written for a key."""
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
    default = field.get("default")
    if default in (None, "", [], {}):
        return ""
    return f"`{_yaml(default)}`"


def _yaml(example: Any) -> str:
    """An example in one line of YAML."""
    if isinstance(example, dict):
        return "{" + ", ".join(f"{key}: {_yaml(value)}" for key, value in example.items()) + "}"
    if isinstance(example, list):
        return "[" + ", ".join(map(_yaml, example)) + "]"
    return str(example).lower() if isinstance(example, bool) else str(example)


def command_line_page() -> str:
    """Every command with its options."""
    page = ["# The command line", "", *_paragraphs(_help(dynagen)), ""]
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
        options = [option for option in command.params if isinstance(option, click.Option)]
        if options:
            page += ["| option | value | meaning | default |", "| --- | --- | --- | --- |"]
        for option in options:
            spelt = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
            page.append(
                _row(spelt, _option_value(option), option.help or "", _option_default(option))
            )
        page += [""] if options else []
    return _text(page)


def _help(command: click.Command) -> str:
    """A command's own help, with what click keeps as it stands in a block of code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        f"```\n{each[2:]}\n```" if each.startswith("\b\n") else each for each in paragraphs
    )


def _option_value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{choice}`" for choice in option.type.choices)
    return option.metavar or {"integer range": "integer"}.get(option.type.name, option.type.name)


def _option_default(option: click.Option) -> str:
    if option.is_flag or not option.show_default:
        return ""
    default = option.get_default(click.Context(dynagen))
    return ", ".join(
        f"`{each}`" for each in (default if isinstance(default, tuple) else (default,))
    )


def functions_page() -> str:
    """Every function with formula, arguments, shapes, methods, and what it costs some bundled robots."""
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
                        _shape(few, many),
                        _capitalised(many.meaning),
                        _units(many),
                    )
                )
        methods = [name for name in function.methods if name]
        page += (
            [
                "",
                f"Methods (`--method`): {', '.join(methods)}; the cheaper one for a robot is taken.",
            ]
            if methods
            else []
        )
        page += ["", f"Operations (mul + add + div): {_operations(function.name)}."]
        page += (
            ["", "Also for a named frame: " + f"`{function.name}@camera`."]
            if function.availability.for_frame
            else []
        )
        page += (
            ["", "Left out by `all`: ask for it by name."]
            if function.availability.on_request
            else []
        )
        page.append("")
    return _text(page)


_FUNCTIONS = """Shapes are those for n joints that move; p counts the base parameters of a robot, which is for the
generator to find out. Matrices are row-major in C and Python and have their natural shape in Fortran. Units are those
of revolute joints: with prismatic ones m, N and kg take the place of rad, N m and kg m^2. What a payload, an external
wrench or run-time parameters add to the arguments is in [docs/parameters.md](../parameters.md)."""


def _operations(function: str) -> str:
    """Return what a call costs some robots, by the table that the tests keep."""
    with _COUNTS.open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if (row["variant"], row["function"]) == ("default", function)
        ]
    totals = {row["robot"]: row["total"] for row in rows}
    return ", ".join(f"{robot} {totals[robot]}" for robot in _COUNTED if robot in totals)


def _shape(few: Argument, many: Argument) -> str:
    """The shape of an argument in terms of the number of joints, from those for 3 and 6 joints."""
    return " x ".join(map(_dimension, few.shape, many.shape)) or "1"


def _dimension(at_3: int, at_6: int) -> str:
    if at_3 == at_6:
        return str(at_3)
    if at_6 == 2 * at_3 and at_3 % 3 == 0:
        return f"{at_3 // 3}n" if at_3 > 3 else "n"
    return "n(n + 3)/2" if (at_3, at_6) == (9, 27) else "p + 2n" if at_6 > 45 else "p"


def _units(argument: Argument) -> str:
    return ", ".join(dict.fromkeys(unit or "1" for unit in argument.units))


def errors_page() -> str:
    """Every error that users can cause, with the exit status that it leads to."""
    page = ["# Errors", "", *_wrapped(_ERRORS), ""]
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.DynagenError):
            page += [f"## {kind.__name__}", "", f"Exit status {kind.exit_code}.", ""]
            page += [*_paragraphs(inspect.getdoc(kind) or ""), ""]
    return _text(page)


_ERRORS = """In Python all of them are `dynagen.errors.DynagenError`s. On the command line their message goes to
standard error, and the exit status says which kind it was: 0 all is well, 1 a proof failed or output is stale, 2 bad
input, 3 no toolchain, 130 interrupted, 141 nobody reads the output any more. A traceback appears only with
`--debug`."""


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _paragraphs(text: str) -> list[str]:
    """Paragraphs, wrapped, but for blocks of code and indented lines."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        kept = paragraph.startswith(("```", "    ", "Attributes:"))
        lines += [*(paragraph.splitlines() if kept else _wrapped(paragraph)), ""]
    return lines[:-1]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _text(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
