"""Files of C kernels: a header, and one kernel per file or all in one.

The code is C99 and also valid C++.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dynagen.codegen import documentation
from dynagen.codegen.languages.c.cores import (
    cores_functions,
    cores_path,
    print_cores,
    print_threads,
)
from dynagen.codegen.languages.c.lanes import batch_functions, batch_path, print_batch, trig_header
from dynagen.codegen.languages.c.printer import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    TRIGONOMETRIC,
    CCallPrinter,
    CPrinter,
)
from dynagen.codegen.languages.c.segments import CSegment, CSegmentPrinter
from dynagen.codegen.naming import prefixed_symbol, wrap_text
from dynagen.codegen.package import VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Helper, Paragraph, helpers_of, shortest_decimal
from dynagen.codegen.routine import STRIDE, Cores, Routine, StateLoop
from dynagen.codegen.segments import divide
from dynagen.codegen.templating import fill
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import Real
from dynagen.robot.names import identifier

_INDENT = "    "


def constant(prefix: str, parameter: str) -> str:
    """Return `<PREFIX>_P_<PARAMETER>`."""
    return f"{prefix}_P_{identifier(parameter)}".upper()


def kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the file of a kernel: its own, or the one file of all kernels."""
    symbol = prefixed_symbol(package.prefix, kernel.function)
    return f"src/{package.prefix if package.single_file else symbol}.c"


def kernel_paths(package: Package) -> list[str]:
    """Return the files that contain kernels, each once."""
    return list(dict.fromkeys(kernel_path(package, kernel) for kernel in package.kernels))


def source_paths(package: Package) -> list[str]:
    """Return the files to compile, each once."""
    batches = (batch_path(package, kernel) for kernel in package.batch_kernels)
    divided = (path for kernel in package.kernels if (path := cores_path(package, kernel)))
    return [*kernel_paths(package), *dict.fromkeys(batches), *dict.fromkeys(divided)]


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Print the header, the kernels, and the private headers and files of further forms."""
    functions = [_function(package, kernel) for kernel in package.kernels]
    batches = batch_functions(package)
    origin = documentation.origin(package)
    real, _, suffix = REAL_TYPES[package.real]
    header = fill(
        "c/header.h.j2",
        **documentation.package_values(package, constant, 0, " * "),
        macro=package.prefix.upper(),
        real=real,
        suffix=suffix,
        functions=functions,
        batches=batches,
        one_step=package.trig == VECTOR,
        defaults=_defaults(package),
    )
    # One group of functions for each file.
    groups = [functions] if package.single_file else [[function] for function in functions]
    sources = (
        _source(package, path, origin, group)
        for path, group in zip(kernel_paths(package), groups, strict=True)
    )
    private = [trig_header(package)] if package.trig == VECTOR else []
    others = (*print_batch(package, batches), *print_cores(package, cores_functions(package)))
    return (SourceFile(f"include/{package.prefix}.h", header), *private, *sources, *others)


def print_loops(routines: Sequence[Routine], real: Real) -> tuple[SourceFile, ...]:
    """Print a file that declares kernels and defines loops over states, and files of threads."""
    name = REAL_TYPES[real].name
    functions, side_by_side = [], False
    on_cores = []
    for routine in routines:
        printer, loop = (
            CPrinter(routine, real, name, "", taken=("lay_out", "bring_back")),
            routine.loop,
        )
        if isinstance(loop, StateLoop) and loop.cores:
            on_cores.append(routine)
        elif not isinstance(loop, Cores):
            functions.append(
                printer.loop(loop) if isinstance(loop, StateLoop) else f"{printer.prototype()};"
            )
            side_by_side |= isinstance(loop, StateLoop) and loop.side_by_side
    text = fill(
        "c/loops.c.j2", real=name, stride=STRIDE, side_by_side=side_by_side, functions=functions
    )
    return (SourceFile("loops.c", text), *print_threads(on_cores, real))


@dataclass(frozen=True)
class _CFunction:
    """A kernel for the templates; all texts are C.

    Attributes:
        summary: formula, cost and proof, for the header.
        explained: the same, and how the code differs from the textbook formulation.
        arguments: the arguments, as a comment in the header.
        inside: the arguments, as a comment in the source file.
        prototype: head of the function.
        status: name of the status that it returns; empty if it cannot fail.
        unread: inputs that the code of this robot does not read.
        paragraphs: statements, or calls of the segments or of the called function.
        extra: symbols of names that are not values of the program.
        structure: declaration of the values that segments share.
        segments: the parts of a long kernel, each a function of its own.
        called: the function that a composed function calls.
    """

    kernel: Kernel
    summary: str
    explained: str
    arguments: str
    inside: str
    prototype: str
    status: str
    unread: list[str]
    paragraphs: list[Paragraph]
    extra: tuple[Symbol, ...]
    uses_math: bool
    uses_trigonometry: bool
    structure: list[str]
    segments: list[CSegment]
    called: _CFunction | None = None


def _source(package: Package, path: str, origin: str, functions: list[_CFunction]) -> SourceFile:
    """Print a file of kernels; a file with one kernel documents it at the top."""
    extra = dict.fromkeys(symbol for function in functions for symbol in function.extra)
    symbols = documentation.symbol_lines([function.kernel for function in functions], *extra)
    text = fill(
        "c/kernels.c.j2",
        title=f"{functions[0].explained}\n *\n{functions[0].inside}"
        if len(functions) == 1
        else f"{package.prefix}.c: the kernels of {package.prefix}.h.",
        prefix=package.prefix,
        origin=origin,
        symbols=documentation.comment_block(symbols, " * "),
        uses_math=any(function.uses_math for function in functions),
        one_step=package.trig == VECTOR
        and any(function.uses_trigonometry for function in functions),
        helpers=_helpers(functions),
        functions=functions,
        macro=package.prefix.upper(),
    )
    return SourceFile(path, text)


def _helpers(functions: list[_CFunction]) -> list[Helper]:
    """Return the helpers that functions need."""
    operations = {
        instruction.operation
        for function in functions
        for instruction in function.kernel.printed.instructions
    }
    return helpers_of(HELPERS, operations)


def _defaults(package: Package) -> str:
    """Return default values of the run-time parameters, as an initialiser in a macro."""
    suffix = REAL_TYPES[package.real].literal_suffix
    numbers = ", ".join(
        shortest_decimal(parameter.value, package.real) + suffix for parameter in package.parameters
    )
    return " \\\n     ".join(wrap_text(f"{{{numbers}}}", WIDTH - 2 * len(_INDENT)))


def _function(package: Package, kernel: Kernel) -> _CFunction:
    """Return a kernel for the templates, with the function that it calls, if any."""
    symbol = prefixed_symbol(package.prefix, kernel.function)
    if kernel.calls is None:
        return _in_full(package, kernel, symbol)
    # The called function is static: it is not part of the interface.
    called = _in_full(
        package,
        replace(kernel, program=kernel.calls.program, calls=None),
        f"{symbol}_stage",
        "static ",
    )
    printer = CCallPrinter(
        Routine(symbol, kernel.program.signature), package.real, f"{package.prefix}_real", ""
    )
    return replace(
        called,
        kernel=kernel,
        arguments=documentation.argument_block(
            kernel.program.signature, " *   ", "returns", "one number: &{name}"
        ),
        inside=documentation.argument_block(kernel.program.signature, " *   "),
        prototype=printer.prototype(),
        status=printer.status_name,
        unread=[],
        paragraphs=printer.calls(kernel.calls, f"{symbol}_stage"),
        structure=[],
        segments=[],
        called=called,
    )


def _in_full(package: Package, kernel: Kernel, symbol: str, linkage: str = "") -> _CFunction:
    """Return a kernel, or the function that it calls, with all statements."""
    routine = _routine(package, kernel, symbol)
    printer = CPrinter(*routine)
    operations = {instruction.operation for instruction in kernel.program.instructions}
    # The file needs <math.h> for its own functions or for the header's default macros.
    trigonometric = not operations.isdisjoint(TRIGONOMETRIC)
    segmentation = divide(printer.listing, package.longest)
    segments = (
        None if segmentation.is_whole else CSegmentPrinter(*routine, segmentation=segmentation)
    )
    paragraphs = segments.calls() if segments else printer.whole()
    printed = list(segments.segments()) if segments else []
    return _CFunction(
        kernel=kernel,
        summary=documentation.summary(package, kernel, " * "),
        explained=documentation.explained(package, kernel, " * "),
        arguments=documentation.argument_block(
            kernel.program.signature, " *   ", "returns", "one number: &{name}"
        ),
        inside=documentation.argument_block(kernel.program.signature, " *   "),
        prototype=printer.linked(linkage),
        status=printer.status_name,
        unread=printer.unread_inputs(),
        paragraphs=paragraphs,
        extra=(segments or printer).extra(),
        uses_math=trigonometric or not operations.isdisjoint(MATH_FUNCTIONS),
        uses_trigonometry=trigonometric,
        structure=segments.structure() if segments else [],
        segments=printed,
    )


def _routine(package: Package, kernel: Kernel, symbol: str) -> tuple[Routine, Real, str, str, str]:
    """Return the first arguments of a printer: the kernel as a routine, types and prefixes."""
    steps = package.prefix if package.trig == VECTOR else ""
    return (
        kernel.routine(symbol),
        package.real,
        f"{package.prefix}_real",
        package.prefix.upper(),
        steps,
    )
