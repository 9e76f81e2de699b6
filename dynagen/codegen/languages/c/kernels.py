"""Files of C kernels: a header, and one file per kernel or one file for all.

The code is C99 and also valid C++.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from dynagen.codegen import documentation
from dynagen.codegen.c_statements import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    TRIGONOMETRIC,
    print_c_tables,
)
from dynagen.codegen.languages.c.cores import (
    find_cores_path,
    print_cores,
    print_threads,
    write_cores_functions,
)
from dynagen.codegen.languages.c.lanes import (
    find_batch_path,
    print_batch,
    write_batch_functions,
    write_batch_prototype,
    write_trig_header,
)
from dynagen.codegen.languages.c.writer import CSegment, CWriter, make_conventions
from dynagen.codegen.layouts import Scope, declare, lay_out_calls, lay_out_state
from dynagen.codegen.naming import name_prefixed_constant, prefix_symbol, wrap_text
from dynagen.codegen.package import COMPACT, VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Paragraph, find_helpers, format_shortest_decimal
from dynagen.codegen.routine import PART, STRIDE, LaneLoop, Routine, StateLoop
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.codegen.trigonometry import compute_compact_constants
from dynagen.ir.program import PARAMS, PREPARE, Operation, Signature
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import Real
from dynagen.robot.payload import PAYLOAD_PARAMETERS

_INDENT = "    "


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the C file with a kernel.

    Each kernel has its own file, unless the package asks for one file with all kernels.
    """
    symbol = prefix_symbol(package.prefix, kernel.function)
    return f"src/{package.prefix if package.single_file else symbol}.c"


def list_kernel_paths(package: Package) -> list[str]:
    """Return the paths, in the output folder, of the C files with kernels for one state."""
    return list(dict.fromkeys(choose_kernel_path(package, kernel) for kernel in package.kernels))


def list_source_paths(package: Package) -> list[str]:
    """Return the paths, in the output folder, of all C files to compile, each path once."""
    # With one file for all kernels the paths repeat; dict.fromkeys keeps each once, in order.
    batches = (find_batch_path(package, kernel) for kernel in package.batch_kernels)
    divided = (path for kernel in package.kernels if (path := find_cores_path(package, kernel)))
    return [*list_kernel_paths(package), *dict.fromkeys(batches), *dict.fromkeys(divided)]


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return C headers and C files: kernels, batch kernels, and kernels on several cores."""
    functions = [_function(package, kernel) for kernel in package.kernels]
    batches = write_batch_functions(package)
    origin = documentation.describe_origin(package)
    real, _, suffix = REAL_TYPES[package.real]
    header = fill(
        "c/header.h.j2",
        **documentation.collect_package_values(package, name_prefixed_constant, 0, " * "),
        macro=package.prefix.upper(),
        real=real,
        suffix=suffix,
        functions=functions,
        batches=batches,
        one_step=package.trig == VECTOR,
        defaults=_defaults(package),
        sets_payload=sets_payload(package),
        compact=compute_compact_constants() if package.trig == COMPACT else None,
    )
    # One group of functions for each file.
    groups = [functions] if package.single_file else [[function] for function in functions]
    sources = (
        _source(package, path, origin, group)
        for path, group in zip(list_kernel_paths(package), groups, strict=True)
    )
    private = {VECTOR: write_trig_header, COMPACT: _write_compact_header}.get(package.trig)
    others = (*print_batch(package, batches), *print_cores(package, write_cores_functions(package)))
    headers = () if private is None else (private(package),)
    return (SourceFile(f"include/{package.prefix}.h", header), *headers, *sources, *others)


def _write_compact_header(package: Package) -> SourceFile:
    """Return the C header with the short sine and cosine functions of `--trig compact`."""
    text = fill(
        "c/compact.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=documentation.describe_origin(package),
        **compute_compact_constants(),
    )
    return SourceFile(f"src/{package.prefix}_sincos.h", text)


def print_loops(routines: Sequence[Routine], real: Real) -> tuple[SourceFile, ...]:
    """Return C files with loops over states that call kernels, for calls from Python.

    Args:
        routines: kernels, which are only declared, and the loops that call them.
        real: number type of the kernels.
    """
    name = REAL_TYPES[real].name
    prototypes, loops, on_cores = [], [], []
    for routine in routines:
        if isinstance(routine.loop, StateLoop) and routine.loop.cores:
            on_cores.append(routine)
        elif isinstance(routine.loop, StateLoop):
            loops.append(_state_loop(routine, routine.loop, real))
        elif isinstance(routine.loop, LaneLoop):
            prototypes.append(write_batch_prototype(routine, real))
        elif routine.loop is None:
            prototypes.append(write_prototype(routine, real, name))
    text = fill(
        "c/loops.c.j2", real=name, stride=STRIDE, part=PART, prototypes=prototypes, loops=loops
    )
    return (SourceFile("loops.c", text), *print_threads(on_cores, real))


def write_prototype(routine: Routine, real: Real, type_name: str) -> str:
    """Return the C declaration of a kernel for one state, without semicolon.

    `type_name` is the name of the number type in C.
    """
    return CWriter(declare(routine, make_conventions(type_name)), real, type_name).write_prototype()


@dataclass(frozen=True)
class _StateLoop:
    """C texts of a function that calls a kernel in a loop over states.

    `head` ends without semicolon. `names` maps a variable of the template, such as `state`, to a
    name that no argument has. `sides` maps an argument to the array for its values in a few states;
    it is empty if the kernel computes one state at a time. `status` is the array of status codes,
    empty if the kernel cannot fail.
    """

    head: str
    kernel: str
    signature: Signature
    names: dict[str, str]
    sides: dict[str, str]
    status: str


def _state_loop(routine: Routine, loop: StateLoop, real: Real) -> _StateLoop:
    """Return the C texts of a loop over states that calls a kernel, for the jinja2 template.

    `routine` is the function with the loop; its signature has the kernel's arguments.
    """
    type_name = REAL_TYPES[real].name
    # Names of the template's helper functions must not be taken by arguments.
    scope = Scope(routine, make_conventions(type_name, taken=("lay_out", "bring_back")))
    names = {name: scope.claim(name) for name in ("count", "state", "first", "states")}
    # Run-time parameters are shared by all states and keep their layout.
    rows = [
        argument.name
        for argument in (*scope.signature.inputs, *scope.signature.results)
        if argument.name != PARAMS and loop.side_by_side
    ]
    function = Function(routine.symbol, scope.signature)
    return _StateLoop(
        head=CWriter(function, real, type_name).write_head(
            "void", routine.symbol, [names["count"]]
        ),
        kernel=loop.kernel,
        signature=scope.signature,
        names=names,
        sides={name: scope.claim(f"{name}_side") for name in rows},
        status=function.status,
    )


@dataclass(frozen=True)
class _CFunction:
    """C texts of a kernel, for the jinja2 template.

    The header contains `summary`, `explained` and the table `arguments`. The source file contains
    the same table, indented as the comment `inside`. `status` is empty if the kernel cannot fail.
    `unread` names the inputs that the code of this robot does not read. `extra` explains the names
    that are not in the program, such as copies of input elements. `structure` declares the values
    that the `segments` of a long kernel share. `called` is the function that the kernel calls
    several times, such as forward dynamics in an integrator's step.
    """

    kernel: Kernel
    summary: str
    explained: str
    arguments: str
    inside: str
    prototype: str
    status: str
    unread: tuple[str, ...]
    paragraphs: list[Paragraph]
    extra: tuple[Symbol, ...]
    operations: Set[Operation]
    structure: list[str]
    segments: list[CSegment]
    called: _CFunction | None = None

    @property
    def uses_trigonometry(self) -> bool:
        """Whether the function computes sines or cosines."""
        return not self.operations.isdisjoint(TRIGONOMETRIC)

    @property
    def uses_math(self) -> bool:
        """Whether the function needs <math.h>, directly or in macros of the package's header."""
        return self.uses_trigonometry or not self.operations.isdisjoint(MATH_FUNCTIONS)


def _source(package: Package, path: str, origin: str, functions: list[_CFunction]) -> SourceFile:
    """Return a C file with kernels; the top comment documents the kernel if there is only one.

    `origin` is the line with dynagen's version and the description's file name.
    """
    # Kernels of one file may use the same symbols: the table lists them once.
    extra = dict.fromkeys(symbol for function in functions for symbol in function.extra)
    operations: set[Operation] = set().union(*(function.operations for function in functions))
    symbols = documentation.describe_symbols([function.kernel for function in functions], *extra)
    text = fill(
        "c/kernels.c.j2",
        title=f"{functions[0].explained}\n *\n{functions[0].inside}"
        if len(functions) == 1
        else f"{package.prefix}.c: the kernels of {package.prefix}.h.",
        prefix=package.prefix,
        origin=origin,
        symbols=documentation.format_comment(symbols, " * "),
        uses_math=any(function.uses_math for function in functions),
        one_step=package.trig == VECTOR
        and any(function.uses_trigonometry for function in functions),
        helpers=find_helpers(HELPERS, operations),
        tables=print_c_tables(operations, package.real),
        functions=functions,
        macro=package.prefix.upper(),
        suffix=REAL_TYPES[package.real].literal_suffix,
        compact=package.trig == COMPACT
        and any(function.uses_trigonometry for function in functions),
        # The file of `prepare` has the function that sets values for it.
        sets_payload=sets_payload(package)
        and any(function.kernel.function == PREPARE for function in functions),
    )
    return SourceFile(path, text)


def sets_payload(package: Package) -> bool:
    """Return whether the run-time parameters include mass and inertia of a payload."""
    return PAYLOAD_PARAMETERS.keys() <= {parameter.name for parameter in package.parameters}


def _defaults(package: Package) -> str:
    """Return the default values of the run-time parameters as a C initialiser, for a macro."""
    # A suffix keeps float literals from becoming double.
    suffix = REAL_TYPES[package.real].literal_suffix
    numbers = ", ".join(
        format_shortest_decimal(parameter.value, package.real) + suffix
        for parameter in package.parameters
    )
    return " \\\n     ".join(wrap_text(f"{{{numbers}}}", WIDTH - 2 * len(_INDENT)))


def _function(package: Package, kernel: Kernel) -> _CFunction:
    """Return the C texts of a kernel, for the jinja2 templates.

    If the kernel calls another function several times, the result contains its texts too.
    """
    symbol = prefix_symbol(package.prefix, kernel.function)
    if kernel.calls is None:
        return _in_full(package, kernel, symbol)
    # The called function is static: it is not part of the interface.
    stage = replace(kernel, program=kernel.calls.program, calls=None)
    called = _in_full(package, stage, f"{symbol}_stage", "static ")
    function = lay_out_calls(
        kernel.make_routine(symbol),
        make_conventions(f"{package.prefix}_real"),
        kernel.calls,
        f"{symbol}_stage",
    )
    described = _describe(package, kernel, function, called.operations)
    return replace(described, called=called, extra=called.extra)


def _in_full(package: Package, kernel: Kernel, symbol: str, linkage: str = "") -> _CFunction:
    """Return the C texts of a function that contains all statements of the kernel's program.

    `linkage` is empty, or `static ` for a function that only its file uses.
    """
    steps = package.prefix if package.trig == VECTOR else ""
    function = lay_out_state(
        kernel.make_routine(symbol),
        make_conventions(f"{package.prefix}_real", steps),
        package.longest,
    )
    operations = {instruction.operation for instruction in kernel.program.instructions}
    return _describe(package, kernel, function, operations, linkage)


def _describe(
    package: Package,
    kernel: Kernel,
    function: Function,
    operations: Set[Operation],
    linkage: str = "",
) -> _CFunction:
    """Return the C texts of a function from its code tree, for the jinja2 template.

    `operations` are all operations of the function and of a function that it calls; they determine
    which headers and tables the file needs. `linkage` is empty or `static `.
    """
    signature = kernel.program.signature
    steps = package.prefix if package.trig == VECTOR else ""
    writer = CWriter(
        function, package.real, f"{package.prefix}_real", package.prefix.upper(), steps
    )
    paragraphs = writer.write_paragraphs()
    if function.segments:
        first, *others = paragraphs
        paragraphs = [replace(first, lines=(*writer.write_keeper(), *first.lines)), *others]
    return _CFunction(
        kernel=kernel,
        operations=operations,
        summary=documentation.summarise_kernel(package, kernel, " * "),
        explained=documentation.explain_kernel(package, kernel, " * "),
        arguments=documentation.comment_arguments(
            signature, " *   ", "returns", "one number: &{name}"
        ),
        inside=documentation.comment_arguments(signature, " *   "),
        prototype=writer.write_prototype(linkage),
        status=function.status,
        unread=function.unread,
        paragraphs=paragraphs,
        extra=function.symbols,
        structure=writer.write_structure(),
        segments=writer.write_segments(),
    )
