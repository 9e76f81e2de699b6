"""Files of a Rust crate: manifest, constants, kernels, and arithmetic functions for kernels.

This Python module also defines the Rust syntax for the example and the golden test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.examples import Call, NumberTable, Spelling, bracket
from dynagen.codegen.languages.rust.lanes import (
    BatchFunction,
    print_batch,
    write_batch_functions,
)
from dynagen.codegen.languages.rust.writer import (
    CONVENTIONS,
    FUNCTIONS,
    RESERVED,
    SIN_COS,
    TYPES,
    RustWriter,
    comment_summary,
)
from dynagen.codegen.layouts import lay_out_calls, lay_out_state
from dynagen.codegen.naming import name_constant_in_module, wrap_text
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Paragraph, print_tables
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.codegen.trigonometry import REACH, compute_constants
from dynagen.ir.operation import list_tables
from dynagen.ir.program import Argument, Operation
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import DOUBLE

MANIFEST = "Cargo.toml"
_INDENT = "    "
_FILE = "src/functions.rs"
_BATCH_FILE = "src/batch.rs"


def name_crate(prefix: str) -> str:
    """Return the name of the Rust crate: the prefix in lower case."""
    return prefix.lower()


def name_symbol(prefix: str, function: str) -> str:
    """Return `<crate>::<function>`, the Rust path of a kernel."""
    return f"{name_crate(prefix)}::{function}"


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the Rust file that contains all kernels."""
    return _FILE


def find_batch_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the Rust file with all batch kernels.

    The path is empty if `kernel` has no batch kernel.
    """
    return _BATCH_FILE if package.has_batch(kernel) else ""


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return the files of the Rust crate, without the example and the golden test."""
    functions = [each for kernel in package.kernels for each in _functions(package, kernel)]
    batches = write_batch_functions(package)
    origin = documentation.describe_origin(package)
    values = documentation.collect_package_values(package, name_constant_in_module, 0, "//! ")
    shared = {"real": TYPES[package.real], "origin": origin, "can_fail": _can_fail(package)}
    manifest = fill("rust/Cargo.toml.j2", crate=name_crate(package.prefix), **shared)
    library = fill(
        "rust/lib.rs.j2",
        **values | shared,
        crate=name_crate(package.prefix),
        functions=sorted(each.name for each in functions if each.is_public),
        batches=sorted(each.name for each in batches),
        has_numbers=bool(_called(package)),
    )
    extra = dict.fromkeys(symbol for function in functions for symbol in function.extra)
    symbols = documentation.describe_symbols(package.kernels, *extra)
    called = _called(package)
    module = fill(
        "rust/functions.rs.j2",
        **shared,
        symbols=documentation.format_comment(symbols, "//! "),
        called=called,
        functions=functions,
    )
    return (
        SourceFile(MANIFEST, manifest),
        SourceFile("src/lib.rs", library),
        SourceFile(_FILE, module),
        *([SourceFile("src/numbers.rs", _print_numbers(package, called))] if called else []),
        *print_batch(package, batches, called),
    )


def _can_fail(package: Package) -> bool:
    """Return whether any function of a package can fail."""
    return any(kernel.program.can_fail for kernel in package.kernels)


def _called(package: Package) -> list[str]:
    """Return the names of the functions of the module `numbers` that kernels call, sorted."""
    operations = package.operations
    angles = {Operation.SINE, Operation.COSINE}
    names = [name for operation, name in FUNCTIONS.items() if operation in operations]
    names += [table.name for table in list_tables(operations)]
    return sorted([*names, *([] if angles.isdisjoint(operations) else [SIN_COS])])


def _print_numbers(package: Package, called: Sequence[str]) -> str:
    """Return the text of the Rust module `numbers` with the functions that kernels call."""
    return fill(
        "rust/numbers.rs.j2",
        real=TYPES[package.real],
        wide="" if package.real is DOUBLE else " as f64",
        narrow="" if package.real is DOUBLE else f" as {TYPES[package.real]}",
        origin=documentation.describe_origin(package),
        called=called,
        tables=print_tables(package.operations, package.real),
        batch=bool(package.batch_kernels),
        reach=f"{float(REACH):.1f}",
        **{
            name: value
            for name, value in compute_constants(package.real).items()
            if name != "reach"
        },
    )


@dataclass(frozen=True)
class _Segment:
    """Rust texts of a function that computes a part (segment) of a long kernel."""

    title: str
    head: list[str]
    paragraphs: list[Paragraph]


@dataclass(frozen=True)
class _RustFunction:
    """Rust texts of a kernel, or of a function that a kernel calls several times.

    Other crates can call a public function. `head` includes the opening brace. `tail` is the
    returned expression; empty if the last statement computes it. `kept` are the fields of
    `structure`, which holds the values that segments share. `extra` explains the names that are not
    in the program, such as copies of input elements. A function that `can_fail` returns a Rust
    error.
    """

    name: str
    is_public: bool
    summary: str
    arguments: str
    head: list[str]
    opening: list[str]
    paragraphs: list[Paragraph]
    tail: str
    structure: str
    kept: list[str]
    segments: list[_Segment]
    extra: tuple[Symbol, ...]
    can_fail: bool


def _functions(package: Package, kernel: Kernel) -> list[_RustFunction]:
    """Return the Rust functions of a kernel: the kernel itself is the last one.

    Before it comes the function that the kernel calls several times, if there is one.
    """
    name = kernel.function
    if kernel.calls is None:
        return [_in_full(package, kernel, name)]
    # The called function is private: it is not part of the interface.
    called = replace(kernel, program=kernel.calls.program, calls=None)
    stage = replace(
        _in_full(package, called, f"{name}_stage", is_public=False),
        summary=f"Function that `{name}` calls at every stage.",
    )
    function = lay_out_calls(kernel.make_routine(name), CONVENTIONS, kernel.calls, stage.name)
    described = _describe(package, kernel, function)
    return [
        stage,
        replace(described, tail=f"{_INDENT}{function.status}" if function.status else ""),
    ]


def _in_full(package: Package, kernel: Kernel, name: str, is_public: bool = True) -> _RustFunction:
    """Return the Rust texts of a function named `name` with all statements of a kernel.

    A long function calls other functions for its parts.
    """
    function = lay_out_state(kernel.make_routine(name), CONVENTIONS, package.longest)
    return _describe(package, kernel, function, is_public)


def _describe(
    package: Package, kernel: Kernel, function: Function, is_public: bool = True
) -> _RustFunction:
    """Return the Rust texts of a function from its code tree, for the jinja2 template."""
    writer = RustWriter(function, package.real)
    return _RustFunction(
        name=function.symbol,
        is_public=is_public,
        summary=comment_summary(documentation.explain_kernel(package, kernel, "/// ")),
        arguments=documentation.comment_arguments(
            kernel.program.signature, "/// ", "returns", "a number"
        ),
        head=writer.write_head("pub " if is_public else ""),
        opening=writer.write_opening(),
        paragraphs=writer.write_paragraphs(),
        tail="",
        structure=writer.structure,
        kept=[f"{name}: {writer.type}," for name in function.kept],
        segments=[
            _Segment(
                segment.title,
                writer.write_segment_head(segment),
                writer.write_paragraphs(segment.sections),
            )
            for segment in function.segments
        ],
        extra=function.symbols,
        can_fail=bool(function.status),
    )


# Names that the templates of the example and of the golden test use.
_PROGRAM_NAMES = (
    "wrong",
    "count_wrong",
    "states",
    "inputs",
    "k",
    "i",
    "value",
    "allowed",
    "expected",
    "main",
)


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of Rust for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """

    def table(values: NumberTable) -> str:
        """Return a table as Rust array of rows; for a scalar, an array of numbers."""
        if not values.argument.shape or values.argument.is_status:
            return bracket(values.numbers, _INDENT)
        rows = (f"{_INDENT}{bracket(row, _INDENT, 1)},\n" for row in values.rows)
        return f"[\n{''.join(rows)}]"

    def passed(call: Call, of_state: bool = False) -> str:
        """Return the texts of the arguments of a Rust call, separated by commas.

        With `of_state`, the inputs are those of state k of the test with stored results.
        """
        inputs = []
        for argument in call.kernel.program.inputs:
            name = call.names[argument.name]
            if of_state:
                name = f"inputs::{name.upper()}[k]"
            inputs.append(f"&{name}" if argument.shape else name)
        return ", ".join([*inputs, *(f"&mut {output.name}" for output in call.outputs)])

    def declared(argument: Argument) -> str:
        """Return the Rust type of an argument, such as `[f64; 6]`; `f64` for a scalar."""
        real = TYPES[package.real]
        return f"[{real}; {argument.size}]" if argument.shape else real

    return Spelling(
        "rs",
        reserved=(*RESERVED, *_PROGRAM_NAMES, name_crate(package.prefix)),
        values={
            "crate": name_crate(package.prefix),
            "real": TYPES[package.real],
            "row": partial(bracket, indent=_INDENT),
            "table": table,
            "passed": passed,
            "declared": declared,
        },
        folders=("examples", "tests"),
    )


def collect_readme_values(package: Package) -> dict[str, Any]:
    """Return named values for Rust's README template, such as whether any function can fail."""
    batches: list[BatchFunction] = write_batch_functions(package)
    return {
        "can_fail": _can_fail(package),
        "batch": "\n".join(batches[0].head).removesuffix(" {") if batches else "",
        "wraps": wrap_text,
        "width": WIDTH,
    }
