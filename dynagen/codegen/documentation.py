"""Texts for comments in generated files, as plain lines without comment signs.

The texts are the same in all languages: the header of a file, summaries of kernels, and tables of
arguments, joints, names and constants. The module also names run-time parameters and the elements
of vectors in generated code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.naming import (
    UNBROKEN,
    NameTable,
    iterate_assigned_names,
    make_plain_text,
    wrap_text,
)
from dynagen.codegen.package import Joint, Kernel, Package
from dynagen.codegen.printing import format_shortest_decimal
from dynagen.errors import InvalidProgramError, UsageError
from dynagen.ir.program import PARAMS, STATUS, VALUES, Argument, Signature
from dynagen.ir.statements import write_statements
from dynagen.ir.symbols import MINUS, PART, Symbol, find_stem
from dynagen.robot.names import MAX_NAME, make_identifier


@dataclass(frozen=True)
class ParameterConstant:
    """A run-time parameter, for the templates of generated files.

    Attributes:
        constant: name of the constant in generated code that holds the parameter's index.
        index: index of the parameter in the language's array of parameter values (from 0 or 1).
        name: name of the parameter in the description.
        unit: unit of the parameter as the user writes it; empty if not given.
        default: default value, a literal without suffix.
    """

    constant: str
    index: int
    name: str
    unit: str
    default: str

    @property
    def text(self) -> str:
        """Name of the parameter and its unit, if given, as text of a comment: `m_tool, kg`."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


def list_parameter_constants(
    package: Package, constant: Callable[[str, str], str], first_index: int
) -> list[ParameterConstant]:
    """Return the run-time parameters, as texts for templates, in the order of the package.

    Args:
        package: package to print.
        constant: function of the package's prefix and a parameter's name; returns the name of the
            constant for the parameter's index.
        first_index: index of the first element of an array in the language, 0 or 1.
    """
    return [
        ParameterConstant(
            constant(package.prefix, parameter.name),
            index,
            make_plain_text(parameter.name),
            make_plain_text(parameter.unit),
            format_shortest_decimal(parameter.value, package.real),
        )
        for index, parameter in enumerate(package.parameters, first_index)
    ]


def count_prepared(package: Package) -> int:
    """Return how many values the function `prepare` computes; 0 without run-time parameters."""
    return package.kernels[0].program.outputs[0].argument.size if package.parameters else 0


def make_unusable_values_error(values: Mapping[str, float]) -> UsageError:
    """Return the error for parameter values with which `prepare` computes an infinity or NaN.

    `values` maps the names of the run-time parameters to their values.
    """
    listed = ", ".join(f"{name} = {value!r}" for name, value in values.items())
    return UsageError(
        "a value that depends only on run-time parameters is infinite or not a number for "
        f"{listed}. "
        "A likely cause is a division by a parameter: remove the division from the description, or "
        "choose other defaults"
    )


@dataclass(frozen=True)
class NamedElements:
    """A vector argument with a named constant for the index of every element.

    Attributes:
        vector: name of the vector.
        title: meaning of the elements, as text of a comment.
        size: name of the constant for the number of elements.
        names: names of the constants of the elements, lower case, unique in the package.
        labels: names of the elements, as in the manifest.
    """

    vector: str
    title: str
    size: str
    names: tuple[str, ...]
    labels: tuple[str, ...]


def name_elements(package: Package) -> tuple[NamedElements, ...]:
    """Return each vector argument whose elements have names, with a constant for every index.

    If only the columns of a matrix have names, the constants are for the elements of the vector
    that the matrix multiplies.
    """
    # Constants share the name space of the functions in C and Fortran.
    table = NameTable(f"{package.prefix}_{kernel.function}" for kernel in package.kernels)
    found: dict[str, NamedElements] = {}
    for argument in _arguments(package):
        # Columns of a regressor are named after pi, the vector that it multiplies.
        vector = argument.vector or argument.name
        if vector not in found:
            stem = f"{package.prefix}_{vector}"
            names = tuple(
                _constant(table, stem, column, number)
                for number, column in enumerate(argument.columns, 1)
            )
            labels = tuple(map(make_plain_text, argument.columns))
            size = table.claim(f"{stem}_size")
            counted = "Columns" if argument.vector else "Elements"
            title = f"{counted} of {argument.name}: {make_plain_text(argument.meaning)}"
            found[vector] = NamedElements(vector, title, size, names, labels)
    return tuple(found.values())


def _arguments(package: Package) -> Iterator[Argument]:
    """Yield the arguments of a package's kernels whose elements or columns have names."""
    for kernel in package.kernels:
        yield from (argument for argument in kernel.program.arguments if argument.columns)


def _constant(table: NameTable, stem: str, column: str, number: int) -> str:
    """Return an unused name for the constant of an element: `<stem>_<column>`.

    If this name is too long, the name is `<stem>_<number>`, with the element's number.
    """
    name = f"{stem}_{make_identifier(column)}"
    return table.claim(name if len(name) <= MAX_NAME else f"{stem}_{number}")


_KEYS = {
    "m": ("mass", r"\bm[0-9]+\b"),
    "c": ("centre of mass", r"\bc[xyz][0-9]+\b"),
    "I": ("inertia about the centre of mass", r"\bI[xyz]{2}[0-9]+\b"),
    "ms": ("first moment", r"\bm[xyz][0-9]+\b"),
    "J": ("inertia about the origin", r"\bJ[xyz]{2}[0-9]+\b"),
    "Ia": ("motor inertia", r"\bIa[0-9]+\b"),
    "g": ("gravity", r"\bg[xyz]\b"),
}
"""Meaning and regular expression of names in formulas, by first letters of the name (m of `m3`)."""
_ONLY_SUMS = "Constants are sums of regrouped terms: see `dynagen --explain-constants`."


def explain_constants(kernels: Iterable[Kernel], width: int) -> list[str]:
    """Return lines that explain the numeric constants of kernels by formulas; may be empty.

    If no constant has a formula, one paragraph names the command that explains constants.

    Args:
        kernels: kernels of one file.
        width: width of a line, in characters.
    """
    kernels = list(kernels)
    # Constant -> its formulas; one number may come from several formulas.
    formulas: dict[str, dict[str, None]] = {}
    for number, formula in (each for kernel in kernels for each in kernel.constants.formulas):
        formulas.setdefault(number, {})[formula] = None
    has_others = any(kernel.constants.others for kernel in kernels)
    if not formulas:
        return wrap_text(_ONLY_SUMS, width) if has_others else []
    text = " ".join(formula for each in formulas.values() for formula in each)
    meanings = ", ".join(
        f"{stem} {meaning}" for stem, (meaning, key) in _KEYS.items() if re.search(key, text)
    )
    keys = f" ({meanings})" if meanings else ""
    opening = f"Constants, as formulas of the description's names or keys{keys}; links count from 1"
    rest = (
        ". All other constants are sums of regrouped terms: see `dynagen --explain-constants`."
        if has_others
        else "."
    )
    # By value, so that a reader finds a literal of the code.
    ordered = sorted(formulas, key=float)
    listed = ", ".join(
        " = ".join([number, *formulas[number]]).replace(" ", UNBROKEN) for number in ordered
    )
    return [
        *wrap_text(opening + rest, width),
        "",
        *(f"  {line}" for line in wrap_text(listed, width - 2)),
    ]


_WIDTH = 95
_NARROWEST = 40  # width of the last column, next to names of any length
_MOST_UNITS = 3  # largest number of different units in one line
_HOW_TO_READ = (
    "Names: i and j number bodies and joints from 1; _x, _xy are components in the axes of body i."
)


def describe_origin(package: Package) -> str:
    """Return a line for file headers: dynagen's version, and the description's file name."""
    version, description = make_plain_text(package.version), make_plain_text(package.input_name)
    return f"Generated by dynagen {version} from {description}. Do not edit."


def collect_package_values(
    package: Package, constant: Callable[[str, str], str], first_index: int, start: str = ""
) -> dict[str, Any]:
    """Return the values that the templates of all languages use, by name.

    Args:
        package: package to print.
        constant: function of the package's prefix and a parameter's name; returns the name of the
            constant for the parameter's index.
        first_index: index of the first element of an array in the language, 0 or 1.
        start: text with which a comment line starts.
    """
    return {
        "prefix": package.prefix,
        "origin": describe_origin(package),
        "about": format_comment(describe_package(package, first_index), start),
        "joint_count": package.joint_count,
        "nq": package.nq,
        "nv": package.nv,
        "joint_names": [make_plain_text(joint.name) for joint in package.joints],
        "named_elements": name_elements(package),
        "parameters": list_parameter_constants(package, constant, first_index),
        "prepared": count_prepared(package),
    }


def describe_package(package: Package, first_index: int) -> list[str]:
    """Return lines with the robot's name, source and gravity, and with the table of its joints.

    Args:
        package: package to print.
        first_index: index of the first element of an array in the language, 0 or 1.
    """
    facts = [
        ("Robot", f"{make_plain_text(package.robot)}, {package.joint_count}"),
        ("Source", make_plain_text(package.source)),
        ("Input", make_plain_text(package.input_name)),
        ("SHA-256", make_plain_text(package.input_sha256)),
        ("Gravity", f"{make_plain_text(package.gravity)} m/s^2 in the base frame"),
        *((label, make_plain_text(text)) for label, text in package.facts),
        ("Proof", package.proof.rule if package.proof else ""),
    ]
    joints = [list_joint_headings(package), *list_joint_rows(package, first_index)]
    return [*_align_columns(fact for fact in facts if fact[1]), "", *_align_columns(joints)]


def describe_symbols(kernels: Sequence[Kernel], *also: Symbol) -> list[str]:
    """Return lines that explain the names and constants in the code of kernels; may be empty.

    Every name is listed once, with its meaning.

    Args:
        kernels: kernels of one file.
        also: symbols of further names in the generated code, such as loop variables.

    Raises:
        InvalidProgramError: a name has no declared meaning, or kernels declare different meanings
            for names that are equal up to their first digit.
    """
    used: dict[str, Symbol] = {}
    opposites = False
    for kernel in kernels:
        program = kernel.printed
        # Names come from the statements, so the table is complete for the printed code.
        names = list(iterate_assigned_names(write_statements(program)))
        # Only symbols that occur in this file are listed.
        stems = set(map(find_stem, names))
        symbols = [symbol for symbol in (*program.symbols, PART) if symbol.stem in stems]
        if unknown := stems.difference(symbol.stem for symbol in symbols):
            raise InvalidProgramError(
                f"{program.name}: names without a declared symbol: {', '.join(sorted(unknown))}"
            )
        for symbol in symbols:
            if used.setdefault(symbol.stem, symbol) != symbol:
                raise InvalidProgramError(
                    f"{program.name}: {symbol.stem} has two meanings in one file"
                )
        # The passes move signs: minus_w2_x holds -w2_x.
        opposites |= any(name.startswith(MINUS) for name in names)
    # A stable sort that moves the symbol of unnamed parts to the end.
    ordered = sorted((*used.values(), *also), key=lambda symbol: symbol == PART)
    rows = [(symbol.pattern, _describe_symbol(symbol)) for symbol in ordered]
    if opposites:
        rows.append((MINUS, "negative of a value: minus_x is -x"))
    names = (
        [*_wrap(_HOW_TO_READ), "", *(f"  {line}" for line in _align_columns(rows))] if rows else []
    )
    constants = explain_constants(kernels, _WIDTH)
    return [*names, *([""] if names and constants else []), *constants]


def _describe_symbol(symbol: Symbol) -> str:
    """Return the meaning, unit and literature source of a symbol."""
    unit = symbol.unit.replace(" m", f"{UNBROKEN}m")
    return ", ".join(filter(None, (symbol.meaning, unit))) + (
        symbol.source and f" ({symbol.source})"
    )


def summarise_kernel(package: Package, kernel: Kernel, indent: str) -> str:
    """Return a comment's text: a kernel's formula, operation counts and verified error bound.

    `indent` is the start of every line except the first.
    """
    computes, costs = (
        f"{make_plain_text(kernel.summary)}.",
        f"{kernel.operations}. {describe_proof(package)}",
    )
    one_line = f"{computes}  {costs}"
    return one_line if len(one_line) <= _WIDTH else f"\n{indent}".join([*_wrap(computes), costs])


def explain_kernel(package: Package, kernel: Kernel, indent: str) -> str:
    """Return text for a comment: a kernel's summary, and the notes on its code.

    `indent` is the start of every line except the first.
    """
    return f"\n{indent}".join(
        [summarise_kernel(package, kernel, indent), *_wrap(make_plain_text(" ".join(kernel.notes)))]
    )


def describe_proof(package: Package) -> str:
    """Return a sentence on the proof of all kernels: number of states, and error bound.

    The sentence is `Not verified.` if there is no proof.
    """
    if package.proof is None:
        return "Not verified."
    return f"Proved on {package.proof.states} states within {package.proof.within:.2g}."


def describe_arguments(signature: Signature, status: str = STATUS, scalar: str = "") -> list[str]:
    """Return the lines of a table of arguments: name, direction, shape, meaning and unit.

    Args:
        signature: signature of a kernel.
        status: name of the kernel's status code.
        scalar: note on how to pass an input that is one number, with {name} in place of its name;
            empty for no note.
    """
    directions = ["in"] * len(signature.inputs) + ["out"] * len(signature.results)
    arguments = zip(
        signature.arguments, directions, strict=False
    )  # the status comes last and has no direction
    taken = {
        argument.name: f" ({scalar.format(name=argument.name)})"
        for argument in signature.inputs
        if scalar and not argument.shape
    }
    rows = [
        (
            argument.name,
            direction,
            format_shape(argument),
            _meaning(argument) + taken.get(argument.name, ""),
        )
        for argument, direction in arguments
    ]
    rows += [
        (status, "", "", argument.meaning) for argument in signature.arguments if argument.is_status
    ]
    return _align_columns(rows)


def comment_arguments(
    signature: Signature, start: str, status: str = STATUS, scalar: str = ""
) -> str:
    """Return the arguments of a kernel as a comment, in which every line begins with `start`.

    Args:
        signature: signature of the kernel.
        start: start of a comment line in the language.
        status: name of the kernel's status code.
        scalar: note on how to pass an input that is one number, with {name} in place of its name;
            empty for no note.
    """
    return format_comment(describe_arguments(signature, status, scalar), start)


def _meaning(argument: Argument) -> str:
    """Return the meaning of an argument with its unit, as text for a table."""
    meaning = make_plain_text(argument.meaning)
    # Run-time parameters have a table of their own, with the unit of each.
    if argument.name in (VALUES, PARAMS):
        return meaning
    if argument.columns and len(set(argument.units)) > _MOST_UNITS:
        return f"{meaning}; the manifest lists the unit of each entry"
    # A unit such as N m is not broken; alternatives may be.
    units = format_unit(argument).replace(" ", UNBROKEN).replace(f"{UNBROKEN}or{UNBROKEN}", " or ")
    return f"{meaning}, {units}" if units else meaning


def format_shape(argument: Argument) -> str:
    """Return the shape of an argument as text such as `6` or `6 x 10`; `1` for a scalar.

    Most languages pass a scalar as an array of one number.
    """
    return " x ".join(map(str, argument.shape)) or "1"


def format_unit(argument: Argument) -> str:
    """Return the unit of an argument's elements as text; different units are joined by `or`."""
    units = dict.fromkeys(make_plain_text(unit) for unit in argument.units)
    return " or ".join(unit or "1" for unit in units) if len(units) > 1 else "".join(units)


def format_comment(lines: Iterable[str], start: str) -> str:
    """Return lines as a comment; every line begins with `start`."""
    return "\n".join([f"{start}{line}".rstrip() for line in lines])


def list_joint_headings(package: Package) -> tuple[str, ...]:
    """Return the headings of the table of joints: index, joint, type, and units.

    For a robot with quaternions, the table has two columns of indices: in q, and in all other
    vectors.
    """
    return (
        *(("in q", "else") if package.nq > package.nv else ("index",)),
        "joint",
        "type",
        "position",
        "force",
    )


def list_joint_rows(package: Package, first_index: int) -> list[tuple[str, ...]]:
    """Return a row of texts for every joint: indices, name, type, and units of position and force.

    A floating base has 7 entries in q, but 6 entries in vectors of velocities and forces.
    `first_index` is the index of the first element of an array in the language, 0 or 1.
    """
    rows = []
    # Indices in q and in velocities differ after a floating base: 7 and 6 entries.
    q = v = first_index
    for joint in package.joints:
        nq, nv = len(joint.type.position_units), len(joint.type.rotates)
        position, force = joint.type.position_unit, joint.type.force_unit
        indices = (
            (_index_range(q, nq), _index_range(v, nv)) if package.nq > package.nv else (str(v),)
        )
        rows.append(
            (*indices, make_plain_text(_joint_title(joint)), joint.type.name, position, force)
        )
        q, v = q + nq, v + nv
    return rows


def _index_range(first: int, count: int) -> str:
    """Return a range of `count` indices from `first` as text, such as `0` or `0-6`."""
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _joint_title(joint: Joint) -> str:
    """Return the joint's name, followed by the moved link's name in brackets if they differ."""
    return joint.name if joint.name == joint.link else f"{joint.name} ({joint.link})"


def _align_columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table with aligned columns; a long last cell takes several lines."""
    # All columns except the last are as wide as their longest cell.
    table = [tuple(row) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    lines: list[str] = []
    for *cells, text in table:
        label = "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=False))
        first, *others = _wrap(text, _WIDTH - len(label)) or [""]
        lines += [(label + first).rstrip(), *(" " * len(label) + line for line in others)]
    return lines


def _wrap(text: str, width: int = _WIDTH) -> list[str]:
    """Return a text as lines of at most `width` characters (40 if `width` is smaller)."""
    return wrap_text(text, max(width, _NARROWEST))
