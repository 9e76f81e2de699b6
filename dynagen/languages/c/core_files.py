"""Kernels on several cores as files: a header with their contexts, and a source file for each kernel or for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.ir.cost import count
from dynagen.ir.partition import Partition
from dynagen.languages import documentation
from dynagen.languages.c.cores import AWAIT, AWAIT_END, CorePrinter
from dynagen.languages.c.vocabulary import HELPERS, MATH_FUNCTIONS, TRIGONOMETRIC
from dynagen.languages.naming import prefixed_symbol
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.printing import Paragraph, helpers_of
from dynagen.languages.routine import core_name, cores_name
from dynagen.languages.shares import share_of
from dynagen.languages.templating import fill


@dataclass(frozen=True)
class CoreFunction:
    """The function of one core, as the templates see it."""

    core: int
    does: str
    prototype: str
    opening: list[str]
    paragraphs: list[Paragraph]
    returned: str


@dataclass(frozen=True)
class CoresFunction:
    """A kernel on several cores, as the templates see it."""

    kernel: Kernel
    symbol: str
    summary: str
    arguments: str
    partition: Partition
    cores: list[CoreFunction]


def cores_path(package: Package, kernel: Kernel) -> str:
    """The file of a kernel on several cores, empty if there is none: one a file, unless all are to be in one."""
    if kernel.partition is None:
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_cores.c"


def cores_functions(package: Package) -> list[CoresFunction]:
    """The kernels that are divided among cores, printed."""
    return [
        _function(package, kernel, kernel.partition)
        for kernel in package.kernels
        if kernel.partition is not None
    ]


def core_calls(package: Package) -> list[str]:
    """The calls of the cores for the first kernel that is divided among them; none if none is."""
    for kernel in package.kernels:
        if kernel.partition is not None:
            symbol, signature = (
                prefixed_symbol(package.prefix, kernel.function),
                kernel.program.signature,
            )
            names = ", ".join(
                ["&cores", *(each.name for each in signature.inputs + signature.results)]
            )
            return [
                f"{core_name(symbol, core)}({names});"
                for core in range(len(kernel.partition.cores))
            ]
    return []


def print_cores(package: Package, functions: list[CoresFunction]) -> Iterator[SourceFile]:
    """The header, and the files that include it; nothing without functions."""
    if not functions:
        return
    shared = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "origin": documentation.origin(package),
    }
    header = fill("c/cores.h.j2", **shared, functions=functions, count=len(functions[0].cores))
    yield SourceFile(f"include/{package.prefix}_cores.h", header)
    for group in [functions] if package.single_file else [[function] for function in functions]:
        operations = {
            each.operation for function in group for each in function.kernel.program.instructions
        }
        text = fill(
            "c/cores.c.j2",
            **shared,
            symbols=documentation.comment_block(
                documentation.symbol_lines([function.kernel for function in group]), " * "
            ),
            uses_math=not operations.isdisjoint((*TRIGONOMETRIC, *MATH_FUNCTIONS)),
            helpers=helpers_of(HELPERS, operations),
            awaits=AWAIT if any(function.partition.messages for function in group) else "",
            awaits_end=AWAIT_END
            if any(_waits_for_ends(function.partition) for function in group)
            else "",
            functions=group,
        )
        yield SourceFile(cores_path(package, group[0].kernel), text)


def _waits_for_ends(partition: Partition) -> bool:
    return any(partition.unanswered(core) for core in range(len(partition.cores)))


def _function(package: Package, kernel: Kernel, partition: Partition) -> CoresFunction:
    symbol = prefixed_symbol(package.prefix, kernel.function)
    return CoresFunction(
        kernel=kernel.in_one,
        symbol=cores_name(symbol),
        summary=documentation.summary(package, kernel, " * "),
        arguments=documentation.argument_block(kernel.program.signature, " *   ", "returns"),
        partition=partition,
        cores=[
            _core_function(package, kernel, partition, core) for core in range(len(partition.cores))
        ],
    )


def _core_function(
    package: Package, kernel: Kernel, partition: Partition, core: int
) -> CoreFunction:
    routine = kernel.routine(prefixed_symbol(package.prefix, kernel.function))
    share = share_of(partition, core)
    printer = CorePrinter(routine, share, package.real, package.prefix)
    paragraphs = list(printer.work())
    return CoreFunction(
        core=core,
        does=str(count(share.program)) if partition.cores[core] else "nothing to do",
        prototype=printer.prototype(),
        opening=printer.opening(),
        paragraphs=paragraphs,
        returned=printer.returned(),
    )
