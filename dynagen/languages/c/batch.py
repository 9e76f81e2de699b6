"""Kernels over lanes as files: what they share in a private header, and a file for each or for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.ir.program import Operation
from dynagen.ir.symbols import Symbol
from dynagen.languages import documentation
from dynagen.languages.c.lanes import CLanePrinter
from dynagen.languages.c.trigonometry import sincos
from dynagen.languages.c.vocabulary import HELPERS, MATH_FUNCTIONS, REAL_TYPES
from dynagen.languages.naming import prefixed_symbol
from dynagen.languages.package import VECTOR, Kernel, Package, SourceFile
from dynagen.languages.printing import Paragraph, helpers_of
from dynagen.languages.routine import over_lanes
from dynagen.languages.templating import fill
from dynagen.languages.trigonometry import REACH
from dynagen.numbers.real import FLOAT


@dataclass(frozen=True)
class BatchFunction:
    """A kernel over lanes as the templates see it."""

    kernel: Kernel
    symbol: str
    call: str
    prototype: str
    explained: str
    block_head: str
    paragraphs: list[Paragraph]
    range_head: str
    range_lines: list[str]
    public_lines: list[str]
    extra: tuple[Symbol, ...]


@dataclass(frozen=True)
class _LaneFunction:
    """A function of every lane by itself: its name after the prefix, and what it calls."""

    name: str
    called: str
    parameters: tuple[str, ...]


def batch_functions(package: Package) -> list[BatchFunction]:
    """The kernels over lanes, printed; none if there are none."""
    return [_function(package, kernel) for kernel in package.batch_kernels]


def batch_path(package: Package, kernel: Kernel) -> str:
    """The file of a kernel over lanes, empty if there is none: one a file, unless all are to be in one."""
    if not package.has_batch(kernel):
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_batch.c"


def print_batch(package: Package, functions: list[BatchFunction]) -> Iterator[SourceFile]:
    """The private header and the files that include it; nothing without functions."""
    if not functions:
        return
    operations = {
        each.operation for function in functions for each in function.kernel.program.instructions
    }
    shared = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "origin": documentation.origin(package),
    }
    one_step, wide = package.trig == VECTOR, package.real is FLOAT
    vector = "wide" if wide else "lanes"
    header = fill(
        "c/lanes.h.j2",
        **shared,
        one_step=one_step,
        wide=wide,
        vector=vector,
        reach=REACH,
        core=sincos(package, vector) if one_step else "",
        helpers=helpers_of(HELPERS, operations),
        functions=[
            function
            for operation, function in _lane_functions(package).items()
            if operation in operations
        ],
        trigonometry=not operations.isdisjoint((Operation.SINE, Operation.COSINE)),
        can_fail=any(function.kernel.program.can_fail for function in functions),
        threads=package.threads,
    )
    yield SourceFile(f"src/{package.prefix}_lanes.h", header)
    for group in [functions] if package.single_file else [[function] for function in functions]:
        extra = dict.fromkeys(symbol for function in group for symbol in function.extra)
        symbols = documentation.symbol_lines([function.kernel for function in group], *extra)
        text = fill(
            "c/batch.c.j2",
            **shared,
            symbols=documentation.comment_block(symbols, " * "),
            functions=group,
        )
        yield SourceFile(batch_path(package, group[0].kernel), text)


def _lane_functions(package: Package) -> dict[Operation, _LaneFunction]:
    """The functions that are called for every lane by itself."""
    suffix = REAL_TYPES[package.real].function_suffix
    macros = {Operation.SINE: "sin", Operation.COSINE: "cos"} if package.trig != VECTOR else {}
    found = {
        each: _LaneFunction(name, f"{package.prefix}_{name}".upper(), ("x",))
        for each, name in macros.items()
    }
    found |= {
        each: _LaneFunction(name, name + suffix, ("x",)) for each, name in MATH_FUNCTIONS.items()
    }
    return found | {
        each: _LaneFunction(helper.name, helper.name, helper.parameters)
        for each, helper in HELPERS.items()
    }


def _function(package: Package, kernel: Kernel) -> BatchFunction:
    kernel = kernel.in_one  # calls would hand on vectors of every lane in memory
    one_state = kernel.routine(prefixed_symbol(package.prefix, kernel.function))
    printer = CLanePrinter(
        over_lanes(one_state, package.threads), package.real, package.prefix, package.trig == VECTOR
    )
    return BatchFunction(
        kernel=kernel,
        symbol=printer.routine.symbol,
        call=printer.call(),
        prototype=printer.prototype(),
        explained=documentation.explained(package, kernel, " * "),
        block_head=printer.block_head(),
        paragraphs=printer.whole(),
        range_head=printer.range_head(),
        range_lines=printer.range_lines(),
        public_lines=printer.public_lines(),
        extra=printer.extra(),
    )
