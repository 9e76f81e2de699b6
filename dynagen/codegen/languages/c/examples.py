"""Example program and golden test of C kernels, CMakeLists.txt, and a list of MISRA deviations.

The golden test compares results with stored correct results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import indent
from typing import Any

from dynagen.codegen.c_statements import REAL_TYPES, RESERVED
from dynagen.codegen.documentation import describe_origin
from dynagen.codegen.examples import Call, NumberTable, Spelling
from dynagen.codegen.languages.c.cores import write_core_calls
from dynagen.codegen.languages.c.kernels import list_source_paths, sets_payload
from dynagen.codegen.languages.c.lanes import write_batch_functions
from dynagen.codegen.naming import prefix_symbol, wrap_text
from dynagen.codegen.package import COMPACT, LIBM, VECTOR, Package, SourceFile
from dynagen.codegen.printing import WIDTH, format_shortest_decimal
from dynagen.codegen.templating import fill
from dynagen.codegen.trigonometry import COMPACT_REACH
from dynagen.ir.program import VALUES, Argument

_INDENT = "    "
# Names that the templates use, and names of <stdio.h>.
_TAKEN = {"wrong", VALUES, "count_wrong", "states", "expected", "allowed", "k", "i"}
_OF_LIBRARY = {"main", "printf", "stdin", "stdout", "stderr"}
_DEVIATIONS = "misra.txt"


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of C for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """
    symbols = [prefix_symbol(package.prefix, kernel.function) for kernel in package.kernels]
    macro, suffix = package.prefix.upper(), REAL_TYPES[package.real].literal_suffix
    defaults = tuple(
        format_shortest_decimal(parameter.value, package.real) for parameter in package.parameters
    )

    def row(numbers: Iterable[str]) -> str:
        """Return a C initialiser of an array, in one line or several."""
        return "\n ".join(_wrap(f"{{{', '.join(number + suffix for number in numbers)}}}"))

    def rows(table: NumberTable) -> str:
        """Return the C initialiser of an array with a row of numbers for each state.

        A row that equals the default values of the run-time parameters is printed as a macro.
        """
        named = table.argument.name == VALUES
        lines = (
            f"{macro}_DEFAULTS" if named and numbers == defaults else row(numbers)
            for numbers in table.rows
        )
        return "{\n" + ",\n".join(indent(line, _INDENT) for line in lines) + "\n}"

    def called(call: Call, of_state: str = "") -> str:
        """Return the C call of a kernel, in one line or several.

        `of_state` is an index, such as `[k]`, that selects one state of the inputs.
        """
        symbol = prefix_symbol(package.prefix, call.kernel.function)
        return "\n".join(_wrap(f"{symbol}({', '.join(call.list_passed(of_state))})"))

    return Spelling(
        "c",
        reserved={*RESERVED, *_TAKEN, *_OF_LIBRARY, *symbols},
        values={
            "macro": macro,
            "suffix": suffix,
            "row": row,
            "rows": rows,
            "called": called,
            "sets_payload": sets_payload(package),
        },
        one_scope=True,
    )


def collect_readme_values(package: Package) -> dict[str, Any]:
    """Return the values of the variables of the README's jinja2 template for C, by name.

    The values are examples of calls, and options of the run that change the README.
    """
    batches = write_batch_functions(package)
    return {
        "at_rest": _at_rest,
        "batch": batches[0].call if batches else "",
        "threads": package.threads,
        "cores": write_core_calls(package),
        "calls": any(kernel.calls for kernel in package.kernels),
        "divided": [kernel for kernel in package.kernels if kernel.partition],
        "one_step": package.trig == VECTOR,
        "by_libm": package.trig == LIBM,
        "compact_reach": COMPACT_REACH if package.trig == COMPACT else None,
    }


def print_build(package: Package, programs: Sequence[str]) -> tuple[SourceFile, ...]:
    """Return CMakeLists.txt and the list of deviations for a MISRA checker (`misra.txt`).

    `programs` are the paths of the example and the golden test, which CMake builds as well.
    """
    build = fill(
        "c/CMakeLists.txt.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=describe_origin(package),
        sources=list_source_paths(package),
        programs=programs,
        golden=next((path for path in programs if path.startswith("test/")), ""),
        cores=any(kernel.partition for kernel in package.kernels),
    )
    deviations = fill("c/misra.txt.j2", path=_DEVIATIONS, origin=describe_origin(package))
    return SourceFile("CMakeLists.txt", build), SourceFile(_DEVIATIONS, deviations)


def _at_rest(argument: Argument) -> list[str]:
    """Return an array's values for a robot at rest, without zeros at the end, as C texts."""
    return [str(int(index in argument.ones)) for index in range(max(argument.ones, default=0) + 1)]


def _wrap(text: str) -> list[str]:
    """Break a text into lines that are short enough for an indentation of two levels."""
    return wrap_text(text, WIDTH - 2 * len(_INDENT))
