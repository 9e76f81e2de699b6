"""The programs that come with C kernels: an example, a golden test that runs on the target, and CMakeLists.txt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent
from types import MappingProxyType

from dynagen.ir.program import PARAMS, STATUS, VALUES, Argument, Program
from dynagen.languages.c.kernels import constant, source_paths
from dynagen.languages.c.vocabulary import REAL_TYPES, RESERVED
from dynagen.languages.comments import wrap_text
from dynagen.languages.documentation import origin
from dynagen.languages.naming import NameTable, prefixed_symbol
from dynagen.languages.package import GoldenKernel, Package, Rows, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import WIDTH
from dynagen.languages.templating import fill
from dynagen.numbers.real import Real

_INDENT = "    "
# What the templates and <stdio.h> have already named.
_TAKEN = (
    "wrong",
    VALUES,
    "count_wrong",
    "states",
    "expected",
    "allowed",
    "k",
    "i",
    "main",
    "printf",
    "stdin",
    "stdout",
    "stderr",
)

_DEVIATIONS = "misra.txt"


@dataclass(frozen=True)
class _Call:
    """A call of a kernel, in one line or several."""

    text: str
    can_fail: bool


@dataclass(frozen=True)
class _Array:
    """An array as the templates see it; `values` are its elements in C, one row a state where there are several."""

    name: str
    size: int
    values: str = "{0}"

    @property
    def declarator(self) -> str:
        return f"{self.name}[{self.size}]"


@dataclass(frozen=True)
class _Output:
    """An output that the golden test compares."""

    computed: _Array
    expected: _Array
    allowed: _Array


@dataclass(frozen=True)
class _Check:
    """The golden test of one kernel."""

    call: _Call
    outputs: list[_Output]
    statuses: _Array | None

    @property
    def values(self) -> int:
        """The number of values that it compares, the status included."""
        return self.call.can_fail + sum(output.computed.size for output in self.outputs)


def print_programs(package: Package, golden: Iterable[GoldenKernel]) -> tuple[SourceFile, ...]:
    """An example, a golden test if there are golden vectors, CMakeLists.txt, and what a MISRA checker is to pass over.

    Args:
        package: what is generated.
        golden: what every kernel has to return.
    """
    programs = [_example(package)]
    if kernels := list(golden):
        programs.append(_golden_test(package, kernels))
    deviations = SourceFile(
        _DEVIATIONS, fill("c/misra.txt.j2", path=_DEVIATIONS, origin=origin(package))
    )
    return (*programs, _build_file(package, [program.path for program in programs]), deviations)


def _build_file(package: Package, programs: Sequence[str]) -> SourceFile:
    """CMakeLists.txt: the target `<prefix>::<prefix>`, and example and golden test if nothing else includes it."""
    sources = source_paths(package)
    text = fill(
        "c/CMakeLists.txt.j2",
        prefix=package.prefix,
        origin=origin(package),
        sources=sources,
        programs=programs,
        cores=any(kernel.partition for kernel in package.kernels),
    )
    return SourceFile("CMakeLists.txt", text)


def _example(package: Package) -> SourceFile:
    """A program that calls one function at rest; run-time parameters have their defaults."""
    kernel = package.kernels[package.shown]
    program, name = kernel.program, prefixed_symbol(package.prefix, kernel.function)
    table = NameTable({*RESERVED, *_symbols(package), *_TAKEN, PARAMS})
    names = {
        argument.name: PARAMS if argument.name == PARAMS else table.claim(argument.name)
        for argument in program.arguments
    }
    text = fill(
        "c/example.c.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=origin(package),
        symbol=name,
        parameters=parameter_constants(package, constant, 0),
        literal_suffix=REAL_TYPES[package.real].literal_suffix,
        inputs=[
            _Array(names[argument.name], argument.size, _start(package, argument))
            for argument in program.inputs
            if argument.name != PARAMS
        ],
        outputs=[
            _Array(names[output.argument.name], output.argument.size) for output in program.results
        ],
        call=_call(name, program, names),
    )
    return SourceFile(f"example/{package.prefix}_example.c", text)


def _golden_test(package: Package, kernels: Sequence[GoldenKernel]) -> SourceFile:
    """A program whose exit status counts the values that are wrong."""
    table = NameTable({*RESERVED, *_symbols(package), *_TAKEN})
    names: dict[str, str] = {}
    inputs, checks = [], []
    for golden in kernels:
        program = golden.kernel.program
        for argument in program.inputs:
            if argument.name not in names:
                names[argument.name] = table.claim(argument.name)
                values = _table(
                    golden.inputs[argument.name], package.real, _named_rows(package, argument.name)
                )
                inputs.append(_Array(names[argument.name], argument.size, values))
        outputs = _outputs(golden, table, package.real)
        places = {name: f"{array}[k]" for name, array in names.items()}
        places |= {
            o.argument.name: shown.computed.name
            for o, shown in zip(program.results, outputs, strict=True)
        }
        statuses = None
        if golden.statuses:
            values = f"{{{', '.join(map(str, golden.statuses))}}}"
            statuses = _Array(table.claim(f"{program.name}_{STATUS}"), len(golden.statuses), values)
        checks.append(
            _Check(
                _call(prefixed_symbol(package.prefix, program.name), program, places),
                outputs,
                statuses,
            )
        )
    states = len(kernels[0].outputs[0].expected)
    text = fill(
        "c/golden.c.j2",
        prefix=package.prefix,
        origin=origin(package),
        states=states,
        inputs=inputs,
        checks=checks,
        total=states * sum(check.values for check in checks),
    )
    return SourceFile(f"test/{package.prefix}_golden.c", text)


def _symbols(package: Package) -> list[str]:
    return [prefixed_symbol(package.prefix, kernel.function) for kernel in package.kernels]


def _outputs(golden: GoldenKernel, table: NameTable, real: Real) -> list[_Output]:
    made = []
    for output in golden.outputs:
        size = output.argument.size
        name = f"{golden.kernel.function}_{output.argument.name}"
        computed = _Array(table.claim(name), size)
        expected = _Array(table.claim(f"{name}_expected"), size, _table(output.expected, real))
        allowed = _Array(
            table.claim(f"{name}_allowed"),
            size,
            _row([f"{value:.1e}" for value in output.allowed], real),
        )
        made.append(_Output(computed, expected, allowed))
    return made


def _named_rows(package: Package, argument: str) -> dict[tuple[float, ...], str]:
    """Rows that the header has a name for: the defaults of run-time parameters."""
    if argument != VALUES or not package.parameters:
        return {}
    return {
        tuple(
            float(package.real.nearest(each.value)) for each in package.parameters
        ): f"{package.prefix.upper()}_DEFAULTS"
    }


def _call(function: str, program: Program, names: Mapping[str, str]) -> _Call:
    arguments = (names[argument.name] for argument in program.arguments if not argument.is_status)
    return _Call("\n".join(_wrapped(f"{function}({', '.join(arguments)})")), program.can_fail)


def _start(package: Package, argument: Argument) -> str:
    """The first golden state: at rest, with the defaults of parameters."""
    values = package.vectors[argument.name][0] if argument.name in package.vectors else ()
    return (
        _row([str(package.real.dtype(value)) for value in values], package.real)
        if any(values)
        else "{0}"
    )


def _table(
    rows: Rows, real: Real, known: Mapping[tuple[float, ...], str] = MappingProxyType({})
) -> str:
    """Several states, as C initialises an array of arrays; known rows have names."""
    lines = (
        indent(known.get(row) or _row([str(real.dtype(value)) for value in row], real), _INDENT)
        for row in rows
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def _row(numbers: Iterable[str], real: Real) -> str:
    """One array, as C initialises it."""
    text = ", ".join(f"{number}{REAL_TYPES[real].literal_suffix}" for number in numbers)
    return "\n ".join(_wrapped(f"{{{text}}}"))


def _wrapped(text: str) -> list[str]:
    """Lines that fit behind two steps of indentation."""
    return wrap_text(text, WIDTH - 2 * len(_INDENT))
