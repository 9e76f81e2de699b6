"""Documentation in generated files: plain lines of text, names of parameters and elements, tables of symbols and constants.

Run-time parameters as generated code names them: constants for their indices, and their defaults.

Names for what arguments count other than joints: elements of `state`, columns of `Y`; constants in the generated code.

The table of constants in generated files: which numbers of the description the literals of the code are made of.

The documentation in generated files: plain lines of text, the same in every language, without comment signs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.naming import UNBROKEN, NameTable, assigned_names, plain_text, wrap_text
from dynagen.codegen.package import Joint, Kernel, Package
from dynagen.codegen.printing import shortest_decimal
from dynagen.errors import InvalidProgramError, UsageError
from dynagen.ir.program import PARAMS, STATUS, VALUES, Argument, Signature
from dynagen.ir.statements import statements
from dynagen.ir.symbols import MINUS, PART, Symbol, stem_of
from dynagen.robot.names import MAX_NAME, identifier


@dataclass(frozen=True)
class ParameterConstant:
    """A run-time parameter as the templates see it.

    Attributes:
        constant: the name of its index.
        index: in the language's arrays.
        name: as in the description.
        unit: as the user writes it; empty if not given.
        default: a literal without suffix.
    """

    constant: str
    index: int
    name: str
    unit: str
    default: str

    @property
    def text(self) -> str:
        """Name and unit, for a comment."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


def parameter_constants(
    package: Package, constant: Callable[[str, str], str], first_index: int
) -> list[ParameterConstant]:
    """The run-time parameters in the order of the array that carries them.

    Args:
        package: what is generated.
        constant: (prefix, parameter) -> name of the constant in the language.
        first_index: of the language's arrays.
    """
    return [
        ParameterConstant(
            constant(package.prefix, parameter.name),
            index,
            plain_text(parameter.name),
            plain_text(parameter.unit),
            shortest_decimal(parameter.value, package.real),
        )
        for index, parameter in enumerate(package.parameters, first_index)
    ]


def prepared_size(package: Package) -> int:
    """Number of elements that the first kernel of a package with run-time parameters fills."""
    return package.kernels[0].program.outputs[0].argument.size if package.parameters else 0


def unusable(values: Mapping[str, float]) -> UsageError:
    """What to say of values of run-time parameters, by name, that nothing can be prepared from."""
    listed = ", ".join(f"{name} = {value!r}" for name, value in values.items())
    return UsageError(
        f"with {listed} something that depends on run-time parameters alone is infinite or not a number: "
        "is there a division by one of them? Write the description without it, or choose other defaults"
    )


@dataclass(frozen=True)
class NamedElements:
    """A vector, and a constant for every element.

    Attributes:
        vector: its name.
        title: what the elements are, in words.
        size: constant for the number of elements.
        names: identifiers in order, lower case, unique in the package.
        labels: the elements' own names, as in the manifest.
    """

    vector: str
    title: str
    size: str
    names: tuple[str, ...]
    labels: tuple[str, ...]


def named_elements(package: Package) -> tuple[NamedElements, ...]:
    """Every vector whose elements have names, and what the columns of matrices are called after, once."""
    table = NameTable(f"{package.prefix}_{kernel.function}" for kernel in package.kernels)
    found: dict[str, NamedElements] = {}
    for argument in _arguments(package):
        vector = argument.vector or argument.name
        if vector not in found:
            stem = f"{package.prefix}_{vector}"
            names = tuple(
                _constant(table, stem, column, number)
                for number, column in enumerate(argument.columns, 1)
            )
            labels = tuple(map(plain_text, argument.columns))
            size = table.claim(f"{stem}_size")
            counted = "Columns" if argument.vector else "Elements"
            title = f"{counted} of {argument.name}: {plain_text(argument.meaning)}"
            found[vector] = NamedElements(vector, title, size, names, labels)
    return tuple(found.values())


def _arguments(package: Package) -> Iterator[Argument]:
    for kernel in package.kernels:
        yield from (argument for argument in kernel.program.arguments if argument.columns)


def _constant(table: NameTable, stem: str, column: str, number: int) -> str:
    """The element's name behind the argument's, or its number where that is too long for a name."""
    name = f"{stem}_{identifier(column)}"
    return table.claim(name if len(name) <= MAX_NAME else f"{stem}_{number}")


_KEYS = {
    "m": ("mass", r"\bm[0-9]+\b"),
    "c": ("centre of mass", r"\bc[xyz][0-9]+\b"),
    "I": ("inertia about it", r"\bI[xyz]{2}[0-9]+\b"),
    "ms": ("first moment", r"\bm[xyz][0-9]+\b"),
    "J": ("inertia about the origin", r"\bJ[xyz]{2}[0-9]+\b"),
    "Ia": ("motor inertia", r"\bIa[0-9]+\b"),
    "g": ("gravity", r"\bg[xyz]\b"),
}
"""Stem of a name in a formula -> its meaning, and what such names look like."""
_ONLY_SUMS = "Constants are sums of regrouped terms, which `--explain-constants` prints."


def constant_lines(kernels: Iterable[Kernel], width: int) -> list[str]:
    """Paragraphs that say what the constants of some kernels are made of; none if the description decides none.

    Args:
        kernels: the kernels of one file.
        width: of a line, in characters.
    """
    kernels = list(kernels)
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
    opening = (
        f"Constants, by the names of the description or its keys{keys} and links, counted from 1"
    )
    rest = (
        "; others are sums of regrouped terms, which `--explain-constants` prints."
        if has_others
        else "."
    )
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
_NARROWEST = 40  # column, beside names of any length
_MOST_UNITS = 3  # that are told in a line
_HOW_TO_READ = (
    "Names: i and j count bodies and joints from 1; _x, _xy are components in the axes of body i."
)


def origin(package: Package) -> str:
    """The origin of a file, in one line."""
    return f"Generated by dynagen {plain_text(package.version)} from {plain_text(package.input_name)}. Do not edit."


def package_values(
    package: Package, constant: Callable[[str, str], str], first_index: int, start: str = ""
) -> dict[str, Any]:
    """Return what the files of every language show of a package, by the names that templates have for it.

    Args:
        package: what is generated.
        constant: (prefix, parameter) -> name of the constant in the language.
        first_index: of the language's arrays.
        start: of a line of a comment.
    """
    return {
        "prefix": package.prefix,
        "origin": origin(package),
        "about": comment_block(about(package, first_index), start),
        "nq": package.nq,
        "nv": package.nv,
        "joint_names": [plain_text(joint.name) for joint in package.joints],
        "named_elements": named_elements(package),
        "parameters": parameter_constants(package, constant, first_index),
        "prepared": prepared_size(package),
    }


def about(package: Package, first_index: int) -> list[str]:
    """The robot, its source and gravity, and the table of its joints, in columns.

    Args:
        package: what was generated.
        first_index: index of the first joint in the language's arrays.
    """
    count = len(package.joints)
    facts = [
        ("Robot", f"{plain_text(package.robot)}, {count} joint{'s' if count > 1 else ''}"),
        ("Source", plain_text(package.source)),
        ("Input", plain_text(package.input_name)),
        ("SHA-256", plain_text(package.input_sha256)),
        ("Gravity", f"{plain_text(package.gravity)} m/s^2 in the base frame"),
        *((label, plain_text(text)) for label, text in package.facts),
        ("Proof", package.proof.rule if package.proof else ""),
    ]
    joints = [joint_headings(package), *joint_rows(package, first_index)]
    return [*_columns(fact for fact in facts if fact[1]), "", *_columns(joints)]


def symbol_lines(kernels: Sequence[Kernel], *also: Symbol) -> list[str]:
    """The tables of the names and of the constants inside kernels; empty if there are none.

    Names are listed as they are spelled, with what they stand for, each once.

    Args:
        kernels: the kernels of one file.
        also: symbols of names that the language adds.

    Raises:
        InvalidProgramError: a name is of no symbol, or symbols of different kernels have the same stem.
    """
    used: dict[str, Symbol] = {}
    opposites = False
    for kernel in kernels:
        program = kernel.printed
        names = list(assigned_names(statements(program)))
        stems = set(map(stem_of, names))
        symbols = [symbol for symbol in (*program.symbols, PART) if symbol.stem in stems]
        if unknown := stems.difference(symbol.stem for symbol in symbols):
            raise InvalidProgramError(
                f"{program.name}: names of no declared symbol: {', '.join(sorted(unknown))}"
            )
        for symbol in symbols:
            if used.setdefault(symbol.stem, symbol) != symbol:
                raise InvalidProgramError(
                    f"{program.name}: {symbol.stem} has two meanings in one file"
                )
        opposites |= any(name.startswith(MINUS) for name in names)
    ordered = sorted((*used.values(), *also), key=lambda symbol: symbol == PART)
    rows = [(symbol.pattern, _explained(symbol)) for symbol in ordered]
    if opposites:
        rows.append((MINUS, "the opposite of what the rest of the name stands for"))
    names = [*_wrapped(_HOW_TO_READ), "", *(f"  {line}" for line in _columns(rows))] if rows else []
    constants = constant_lines(kernels, _WIDTH)
    return [*names, *([""] if names and constants else []), *constants]


def _explained(symbol: Symbol) -> str:
    unit = symbol.unit.replace(" m", f"{UNBROKEN}m")
    return ", ".join(filter(None, (symbol.meaning, unit))) + (
        symbol.source and f" ({symbol.source})"
    )


def summary(package: Package, kernel: Kernel, indent: str) -> str:
    """A kernel's formula, cost and proof: one line, or several, all but the first indented."""
    computes, costs = f"{plain_text(kernel.summary)}.", f"{kernel.operations}. {proof(package)}"
    one_line = f"{computes}  {costs}"
    return one_line if len(one_line) <= _WIDTH else f"\n{indent}".join([*_wrapped(computes), costs])


def explained(package: Package, kernel: Kernel, indent: str) -> str:
    """The summary, and how the code inside departs from what a reader may expect."""
    return f"\n{indent}".join(
        [summary(package, kernel, indent), *_wrapped(plain_text(" ".join(kernel.notes)))]
    )


def proof(package: Package) -> str:
    """The bound that the proof enforced; never a measured figure, which differs between machines."""
    if package.proof is None:
        return "Not verified."
    return f"Proved on {package.proof.states} states within {package.proof.within:.2g}."


def argument_lines(signature: Signature, status: str = STATUS, scalar: str = "") -> list[str]:
    """The arguments of a kernel in columns: name, direction, shape, meaning and unit.

    Args:
        signature: of the kernel.
        status: what to call its status.
        scalar: how the language takes an input that is one number, with {name} for its name; empty where that needs no word.
    """
    directions = ["in"] * len(signature.inputs) + ["out"] * len(signature.results)
    arguments = zip(
        signature.arguments, directions, strict=False
    )  # the status comes last and has no direction
    taken = {
        each.name: f" ({scalar.format(name=each.name)})"
        for each in signature.inputs
        if scalar and not each.shape
    }
    rows = [
        (
            argument.name,
            direction,
            shape(argument),
            _meaning(argument) + taken.get(argument.name, ""),
        )
        for argument, direction in arguments
    ]
    rows += [
        (status, "", "", argument.meaning) for argument in signature.arguments if argument.is_status
    ]
    return _columns(rows)


def argument_block(signature: Signature, start: str, status: str = STATUS, scalar: str = "") -> str:
    """The arguments of a kernel as a comment, of which each line follows `start`."""
    return comment_block(argument_lines(signature, status, scalar), start)


def _meaning(argument: Argument) -> str:
    meaning = plain_text(argument.meaning)
    if argument.name in (VALUES, PARAMS):
        return meaning
    if argument.columns and len(set(argument.units)) > _MOST_UNITS:
        return f"{meaning}, each entry in the unit that the manifest lists"
    units = unit(argument).replace(" ", UNBROKEN).replace(f"{UNBROKEN}or{UNBROKEN}", " or ")
    return f"{meaning}, {units}" if units else meaning


def shape(argument: Argument) -> str:
    """Shape of an argument, as 6 or 6 x 10; 1 of a scalar, which most languages take as an array of one number."""
    return " x ".join(map(str, argument.shape)) or "1"


def unit(argument: Argument) -> str:
    """Unit of an argument; where entries differ, all of them: the table of joints tells which is whose."""
    units = dict.fromkeys(plain_text(unit) for unit in argument.units)
    return " or ".join(unit or "1" for unit in units) if len(units) > 1 else "".join(units)


def comment_block(lines: Iterable[str], start: str) -> str:
    """Lines as a comment, each after `start`."""
    return "\n".join([f"{start}{line}".rstrip() for line in lines])


def joint_headings(package: Package) -> tuple[str, ...]:
    """Headings for `joint_rows`."""
    return (
        *(("in q", "else") if package.nq > package.nv else ("index",)),
        "joint",
        "type",
        "position",
        "force",
    )


def joint_rows(package: Package, first_index: int) -> list[tuple[str, ...]]:
    """Indices, name, type and units of every joint; a floating base has more of them in q than in velocities and forces."""
    rows = []
    q = v = first_index
    for joint in package.joints:
        nq, nv = len(joint.type.position_units), len(joint.type.rotates)
        position, force = joint.type.position_unit, joint.type.force_unit
        indices = (_places(q, nq), _places(v, nv)) if package.nq > package.nv else (str(v),)
        rows.append((*indices, plain_text(_title(joint)), joint.type.name, position, force))
        q, v = q + nq, v + nv
    return rows


def _places(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _title(joint: Joint) -> str:
    """The joint's name, and the link's where that is another."""
    return joint.name if joint.name == joint.link else f"{joint.name} ({joint.link})"


def _columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table; a long text in the last column goes on below itself."""
    table = [tuple(row) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    lines: list[str] = []
    for *cells, text in table:
        label = "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=False))
        first, *others = _wrapped(text, _WIDTH - len(label)) or [""]
        lines += [(label + first).rstrip(), *(" " * len(label) + line for line in others)]
    return lines


def _wrapped(text: str, width: int = _WIDTH) -> list[str]:
    return wrap_text(text, max(width, _NARROWEST))
