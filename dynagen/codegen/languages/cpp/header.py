"""Files of C++ code: header of templates, header for Eigen, build file, loops over states.

The loops over states, which dynagen uses to verify kernels, are not delivered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.c_statements import print_c_tables
from dynagen.codegen.examples import NumberTable, Spelling
from dynagen.codegen.languages.cpp.writer import (
    CONVENTIONS,
    HELPERS,
    RESERVED,
    CppWriter,
)
from dynagen.codegen.layouts import lay_out_calls, lay_out_state
from dynagen.codegen.naming import make_plain_text, name_constant_in_module, wrap_text
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Paragraph, find_helpers
from dynagen.codegen.routine import Routine, StateLoop
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.ir.program import Argument, Operation, Signature
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import FLOAT, Real

_INDENT = "    "


def name_symbol(prefix: str, function: str) -> str:
    """Return `<prefix>::<function>`, the name of a C++ function with its namespace."""
    return f"{prefix}::{function}"


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the C++ header, which contains all kernels."""
    return f"include/{package.prefix}.hpp"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return two C++ headers: templates of all kernels, and functions on Eigen matrices."""
    functions = [each for kernel in package.kernels for each in _functions(package, kernel)]
    extra = dict.fromkeys(symbol for function in functions for symbol in function.extra)
    symbols = documentation.describe_symbols(package.kernels, *extra)
    values = documentation.collect_package_values(package, name_constant_in_module, 0, " * ")
    header = fill(
        "cpp/header.hpp.j2",
        **values,
        macro=package.prefix.upper(),
        real=package.real.name,
        suffix=_suffix(package.real),
        symbols=documentation.format_comment(symbols, " * "),
        helpers=find_helpers(HELPERS, package.operations),
        tables=print_c_tables(package.operations, package.real),
        functions=functions,
    )
    eigen = fill(
        "cpp/eigen.hpp.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=documentation.describe_origin(package),
        functions=[_describe_eigen(kernel) for kernel in package.kernels],
    )
    return (
        SourceFile(f"include/{package.prefix}.hpp", header),
        SourceFile(f"include/{package.prefix}_eigen.hpp", eigen),
    )


def _suffix(real: Real) -> str:
    """Return the suffix of C++ literals of a number type, such as `f` for float."""
    return "f" if real is FLOAT else ""


@dataclass(frozen=True)
class _Segment:
    """C++ texts of a function template that computes a part (segment) of a long kernel.

    `head` is the function's declaration without the line `template <...>` before it. `opening`
    declares names that the statements use.
    """

    title: str
    head: str
    opening: list[str]
    paragraphs: list[Paragraph]


@dataclass(frozen=True)
class _CppFunction:
    """C++ texts of a kernel, or of a function that a kernel calls several times.

    `head` is the function's declaration without the line `template <...>` before it. `opening`
    declares names that the statements use. `unread` names the inputs that the function does not
    read. `status` is empty if the function cannot fail. `keeper` names the structure of the values
    that segments share; `kept` declares these values. `extra` explains the names that are not in
    the program, such as copies of input elements.
    """

    name: str
    summary: str
    arguments: str
    head: str
    opening: list[str]
    unread: tuple[str, ...]
    paragraphs: list[Paragraph]
    status: str
    keeper: str
    kept: list[str]
    segments: list[_Segment]
    extra: tuple[Symbol, ...]


def _functions(package: Package, kernel: Kernel) -> list[_CppFunction]:
    """Return the C++ functions of a kernel: the kernel itself is the last one.

    Before it comes the function that the kernel calls several times, if there is one.
    """
    name = kernel.function
    operations = {instruction.operation for instruction in kernel.program.instructions}
    describe = partial(_describe, package, kernel, operations)
    if kernel.calls is None:
        routine = kernel.make_routine(name)
        return [describe(lay_out_state(routine, CONVENTIONS, package.longest))]
    program = kernel.calls.program
    # The called function stands before its caller: a template must be declared before its use.
    stage = Routine(f"{name}_stage", program.signature, program)
    called = replace(
        describe(lay_out_state(stage, CONVENTIONS, package.longest)),
        summary=f"Function that {name} calls at every stage.",
    )
    calls = lay_out_calls(kernel.make_routine(name), CONVENTIONS, kernel.calls, stage.symbol)
    return [called, describe(calls)]


def _describe(
    package: Package, kernel: Kernel, operations: Set[Operation], function: Function
) -> _CppFunction:
    """Return the C++ texts of a function from its code tree, for the jinja2 template.

    `operations` must include all operations of the function, because they determine the declared
    names of <cmath> functions.
    """
    writer = CppWriter(function, package.real)

    def open_names(paragraphs: Iterable[Paragraph]) -> list[str]:
        lines = [line for paragraph in paragraphs for line in paragraph.lines]
        return writer.write_opening(lines, operations)

    paragraphs = writer.write_paragraphs()
    segments = []
    for segment in function.segments:
        inside = writer.write_paragraphs(segment.sections)
        head = writer.write_segment_head(segment)
        segments.append(_Segment(segment.title, head, open_names(inside), inside))
    return _CppFunction(
        name=function.symbol,
        summary=documentation.explain_kernel(package, kernel, " * "),
        arguments=documentation.comment_arguments(
            function.signature, " *   ", "returns", "a number"
        ),
        head=writer.write_head(),
        opening=open_names(paragraphs),
        unread=function.unread,
        paragraphs=paragraphs,
        status=function.status,
        keeper=function.keeper,
        kept=writer.write_structure() if function.segments else [],
        segments=segments,
        extra=function.symbols,
    )


@dataclass(frozen=True)
class _EigenFunction:
    """A C++ function on Eigen matrices.

    `signature` belongs to the kernel that the function calls. `structure` names the structure of
    the results; it is empty if the function returns one matrix. `types` maps arguments to C++
    types.
    """

    name: str
    signature: Signature
    summary: str
    structure: str
    types: dict[str, str]


def _describe_eigen(kernel: Kernel) -> _EigenFunction:
    """Return the Eigen function of a kernel."""
    signature = kernel.program.signature
    words = kernel.function.split("_")
    # One matrix is returned as such; several matrices, or a status code, need a structure.
    alone = len(signature.results) == 1 and not signature.can_fail
    return _EigenFunction(
        kernel.function,
        signature,
        make_plain_text(kernel.summary),
        "" if alone else f"{''.join(word.capitalize() for word in words)}Results",
        {each.name: _name_matrix(each) for each in signature.arguments},
    )


def _name_matrix(argument: Argument) -> str:
    """Return the C++ type of Eigen for an argument; a matrix is row-major, as in kernels."""
    if not argument.shape:
        return "Real"
    if len(argument.shape) != 2:  # arrays with three indices are flat
        return f"Eigen::Matrix<Real, {argument.size}, 1>"
    rows, columns = argument.shape
    # Eigen refuses row-major column vectors; the order of their elements is the same.
    order = "Eigen::ColMajor" if columns == 1 and rows > 1 else "Eigen::RowMajor"
    return f"Eigen::Matrix<Real, {rows}, {columns}, {order}>"


def print_build(package: Package, programs: Sequence[str]) -> tuple[SourceFile, ...]:
    """Return CMakeLists.txt; `programs` are the paths of the example and the golden test."""
    text = fill(
        "cpp/CMakeLists.txt.j2",
        prefix=package.prefix,
        origin=documentation.describe_origin(package),
        programs=programs,
    )
    return (SourceFile("CMakeLists.txt", text),)


# Names of the templates of example and golden test.
_TAKEN = ("wrong", "count_wrong", "states", "expected", "allowed", "values", "k", "i", "printf")


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of C++ for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """
    suffix = _suffix(package.real)

    def row(numbers: Iterable[str]) -> str:
        """Return a C++ initialiser such as {1.0, 2.0}, in one line or several."""
        text = f"{{{', '.join(number + suffix for number in numbers)}}}"
        return "\n ".join(wrap_text(text, WIDTH - 2 * len(_INDENT)))

    def rows(table: NumberTable) -> str:
        """Return the C++ initialiser of an array of arrays, with one row of the table per line."""
        lines = (_INDENT + row(numbers).replace("\n", f"\n{_INDENT}") for numbers in table.rows)
        return "{\n" + ",\n".join(lines) + "\n}"

    return Spelling(
        "cpp",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={"real": package.real.name, "suffix": suffix, "row": row, "rows": rows},
        one_scope=True,
    )


def print_loops(routines: Sequence[Routine], real: Real) -> tuple[SourceFile, ...]:
    """Return a C++ file with `extern "C"` loops over states that call kernels.

    The loops are for calls from Python, with which dynagen verifies the kernels.

    Args:
        routines: kernels, which are only declared, and the loops that call them.
        real: number type of the kernels.
    """
    loops: list[dict[str, Any]] = [
        {"symbol": routine.symbol, "kernel": routine.loop.kernel, "signature": routine.signature}
        for routine in routines
        if isinstance(routine.loop, StateLoop)
    ]
    prefix = loops[0]["kernel"].partition("::")[0]
    text = fill("cpp/loops.cpp.j2", prefix=prefix, real=real.name, loops=loops)
    return (SourceFile("loops.cpp", text),)
