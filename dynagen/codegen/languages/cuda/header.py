"""CUDA header with functions of one state, GPU kernels, and functions that launch them.

The module also prints loops over states, with which dynagen verifies the kernels on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.c_statements import (
    HELPERS,
    REAL_TYPES,
    declare_function,
    print_c_tables,
)
from dynagen.codegen.examples import NumberTable, Spelling
from dynagen.codegen.kept_values import choose_kept_values
from dynagen.codegen.language import StridedKernel
from dynagen.codegen.languages.cuda.writer import CONVENTIONS, CudaWriter
from dynagen.codegen.layouts import declare, lay_out_calls, lay_out_state
from dynagen.codegen.naming import UNBROKEN, name_prefixed_constant, prefix_symbol, wrap_text
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.parts import (
    FEW_WORDS,
    MOST_WORDS,
    SHARED_WORDS,
    THREADS,
    Part,
    count_words,
    divide_outputs,
)
from dynagen.codegen.printing import WIDTH, Paragraph, break_line, find_helpers
from dynagen.codegen.routine import PART, STRIDE, Routine, StateLoop, name_batch_kernel
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.codegen.trigonometry import FUSED_REACH, compute_fused_constants
from dynagen.ir.program import PARAMS, PREPARE, Argument, Signature
from dynagen.ir.signature import STATUS
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import Real
from dynagen.toolchain.kernel import add_values_argument

_INDENT = "    "
_KEPT_WORDS = 96 * 1024 // 4 // min(THREADS)
"""Largest number of 32-bit words that a thread keeps in shared memory.

GPUs since compute capability 8.0 grant 96 KiB to a block whose launch requests them. Launches on
other GPUs have smaller blocks.
"""


def name_strided_kernel(symbol: str) -> str:
    """Return `<symbol>_strided`, the GPU kernel for arrays with any distances between elements."""
    return f"{symbol}_strided"


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the CUDA header, which contains all kernels."""
    return f"include/{package.prefix}.cuh"


def find_batch_path(package: Package, kernel: Kernel) -> str:
    """Return the path of the CUDA header; empty if `kernel` has no version for many states."""
    return choose_kernel_path(package, kernel) if package.has_batch(kernel) else ""


@dataclass(frozen=True)
class _CudaFunction:
    """CUDA texts of a device function that computes one state, for the jinja2 template.

    `head` ends without semicolon. `unread` names the inputs that the function does not read.
    `status` is empty if the function cannot fail. `extra` explains the names that are not in the
    program, such as copies of input elements.
    """

    name: str
    summary: str
    head: str
    unread: tuple[str, ...]
    paragraphs: list[Paragraph]
    status: str
    extra: tuple[Symbol, ...]


@dataclass(frozen=True)
class _Launch:
    """Texts of a GPU kernel on arrays of states, and of the function that starts it.

    Attributes:
        name: name of the function without prefix.
        kernel_head: declaration of the kernel without semicolon.
        calls: calls of functions of one state, one for each part of the kernel.
        parameters, names: parameters of the function that starts the kernel, and the kernel's
            arguments in its call.
        kept: number of values that a thread keeps in shared memory; odd, or 0 without such values.
        bytes: shared memory of a block that a launch requests; 0 if the kernel declares its memory.
        prepare: call that computes values from run-time parameters; empty without such parameters.
        invalidated: C++ text and size of each result that becomes NaN if a state fails.
    """

    name: str
    kernel_head: str
    calls: list[str]
    parameters: list[str]
    names: list[str]
    kept: int
    bytes: int = 0
    prepare: str = ""
    invalidated: tuple[tuple[str, int], ...] = ()


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return the CUDA header of a package, with functions for one state and GPU kernels."""
    text, _, _ = _print_header(package, package.kernels, strided=False)
    return (SourceFile(f"include/{package.prefix}.cuh", text),)


def print_strided(package: Package) -> tuple[str, tuple[StridedKernel, ...]]:
    """Return CUDA text of GPU kernels for arrays with any strides, and descriptions of the kernels.

    Inputs of these kernels are the run-time parameters themselves, not the values that `prepare`
    computes from them. If the computation of a state fails, its results are NaN.
    """
    signatures = {
        each.function: _add_values(package, each.program.signature) for each in package.kernels
    }
    text, launches, threads = _print_header(package, package.kernels, strided=True)
    return text, tuple(
        StridedKernel(
            signatures[launch.name],
            name_strided_kernel(prefix_symbol(package.prefix, launch.name)),
            len(launch.calls),
            launch.bytes,
            threads,
        )
        for launch in launches
    )


def _add_values(package: Package, signature: Signature) -> Signature:
    """Return a signature with run-time parameters in place of values that `prepare` computes."""
    if all(each.name != PARAMS for each in signature.inputs):
        return signature
    (prepare,) = (each for each in package.kernels if each.function == PREPARE)
    return add_values_argument(signature, prepare.program.signature)


def _print_header(
    package: Package, kernels: Sequence[Kernel], strided: bool
) -> tuple[str, list[_Launch], int]:
    """Return the text of a CUDA header, its GPU kernels, and the number of threads of a block.

    With `strided`, the GPU kernels are for arrays with any distances (strides) between elements.
    """
    functions: list[_CudaFunction] = []
    launches = []
    for kernel in kernels:
        functions += _write_functions(package, kernel)
        if package.has_batch(kernel):
            parts = _write_parts(package, kernel, strided)
            # Small kernels have no parts: their batch kernel calls the function of one state.
            functions += [function for function, _, _ in parts]
            kept = max((size for *_, size in parts), default=0)
            calls = [call for _, call, _ in parts]
            launches.append(_describe_launch(package, kernel, calls, kept, strided))
    extra = dict.fromkeys(symbol for function in functions for symbol in function.extra)
    symbols = documentation.describe_symbols(tuple(kernels), *extra)
    operations = {
        instruction.operation for kernel in kernels for instruction in kernel.program.instructions
    }
    real, suffix, function_suffix = REAL_TYPES[package.real]
    threads = _choose_threads(package.real, max((each.kept for each in launches), default=0))
    launches = [_request_memory(launch, package.real, threads) for launch in launches]
    text = fill(
        "cuda/header.cuh.j2",
        **documentation.collect_package_values(package, name_prefixed_constant, 0, " * "),
        macro=package.prefix.upper(),
        real=real,
        suffix=suffix,
        threads=threads,
        function_suffix=function_suffix,
        symbols=documentation.format_comment(symbols, " * "),
        helpers=find_helpers(HELPERS, operations),
        tables=print_c_tables(operations, package.real),
        sines=compute_fused_constants(package.real, suffix),
        functions=functions,
        launches=launches,
        invalidates=any(launch.invalidated for launch in launches),
    )
    return text, launches, threads


def _write_functions(package: Package, kernel: Kernel) -> list[_CudaFunction]:
    """Return the CUDA functions of a kernel: the kernel itself is the last one.

    Before it comes the function that the kernel calls several times, if there is one.
    """
    symbol = prefix_symbol(package.prefix, kernel.function)
    summary = documentation.explain_kernel(package, kernel, " * ")
    arguments = documentation.comment_arguments(
        kernel.program.signature, " *   ", "returns", "a number"
    )
    comment = f"{summary}\n *\n{arguments}"
    if kernel.calls is None:
        function = lay_out_state(kernel.make_routine(symbol), CONVENTIONS)
        return [_describe(package, function, comment)]
    program = kernel.calls.program
    stage = Routine(f"{symbol}_stage", program.signature, program)
    called = _describe(
        package,
        lay_out_state(stage, CONVENTIONS),
        f"Function that {kernel.function} calls at every stage.",
    )
    calls = lay_out_calls(kernel.make_routine(symbol), CONVENTIONS, kernel.calls, stage.symbol)
    return [called, _describe(package, calls, comment)]


def _describe(package: Package, function: Function, comment: str) -> _CudaFunction:
    """Return the CUDA texts of a device function, for the template; `comment` documents it."""
    writer = CudaWriter(function, package.real, package.prefix)
    signature = function.signature
    return _CudaFunction(
        function.symbol,
        comment,
        writer.write_head(
            (*signature.inputs, *signature.results), "int" if function.status else "void"
        ),
        function.unread,
        writer.write_paragraphs(),
        function.status,
        function.symbols,
    )


def _write_parts(
    package: Package, kernel: Kernel, strided: bool
) -> list[tuple[_CudaFunction, str, int]]:
    """Return for each part of a kernel its device function, call, and number of kept values.

    Kept values are in shared memory. The list is empty if the kernel is not divided into parts.
    """
    if kernel.calls is not None:
        return []
    parts = divide_outputs(kernel.program, package.real)
    symbol = prefix_symbol(package.prefix, kernel.function)
    return [_write_part(package, symbol, part, len(parts), strided) for part in parts]


def _write_part(
    package: Package, symbol: str, part: Part, count: int, strided: bool
) -> tuple[_CudaFunction, str, int]:
    """Return the device function of a part, its call, and its number of values in shared memory.

    A part computes some results of the kernel `symbol`; the kernel has `count` parts.
    """
    name = f"{symbol}_part_{part.number}"
    function = lay_out_state(Routine(name, part.program.signature, part.program), CONVENTIONS)
    words = count_words(package.real)
    # A register and a place in shared memory have 32 bits: a double takes two.
    places = (_KEPT_WORDS // words - 1) | 1
    slots = choose_kept_values(function, MOST_WORDS // words, places)
    if slots:
        slots = choose_kept_values(function, FEW_WORDS // words, places)
    writer = CudaWriter(function, package.real, package.prefix, part.places, slots)
    stored = {place.argument for place in part.places}
    # A part has only the arguments that it uses: an unused pointer would occupy registers.
    read = tuple(each for each in function.signature.inputs if each.name not in function.unread)
    results = tuple(each for each in part.results if each.name in stored)
    described = _CudaFunction(
        name,
        _wrap_comment(
            f"Part {part.number} of {count} of {symbol}; columns of results: {part.title}."
        ),
        writer.write_head((*read, *results), "int" if function.status else "void"),
        (),
        writer.write_paragraphs(),
        function.status,
        function.symbols,
    )
    # Slots are numbered from 0 without gaps. With an odd number of values for each thread,
    # neighbouring threads access different banks of shared memory.
    size = (max(slots.values()) + 1) | 1 if slots else 0
    # All parts compute the same status, and the first one stores it.
    status = function.status if strided or part.number == 1 else ""
    call = _write_call(package, name, read, results, status, size, strided)
    return described, call, size


def _choose_threads(real: Real, kept: int) -> int:
    """Return the number of threads of a block, if each keeps `kept` values in shared memory."""
    words = count_words(real) * kept
    return next((each for each in THREADS if each * words <= SHARED_WORDS), min(THREADS))


def _request_memory(launch: _Launch, real: Real, threads: int) -> _Launch:
    """Return a kernel's texts with the bytes of shared memory that its launch must request.

    A launch must request the memory if a block of `threads` threads uses more than 48 KiB.
    """
    words = count_words(real) * launch.kept * threads
    return launch if words <= SHARED_WORDS else replace(launch, bytes=4 * words)


def _wrap_comment(text: str) -> str:
    """Return a text as wrapped lines of a comment."""
    return "\n * ".join(wrap_text(text, WIDTH - 3))


def _write_call(
    package: Package,
    function: str,
    inputs: Sequence[Argument],
    results: Sequence[Argument],
    status: str,
    kept: int = 0,
    strided: bool = False,
) -> str:
    """Return the statement of a GPU kernel that calls the device function `function` for a state.

    The status code is stored in `status` unless this is empty. Each thread keeps `kept` values in
    shared memory.
    """
    prefix, given = package.prefix, []
    for each in inputs:
        if each.name == PARAMS:
            given.append(each.name)  # an array that serves all states, or one of this thread
        elif each.shape:
            given.append(f"{prefix}_inputs{{{_write_column(each.name, strided)}}}")
        else:
            given.append(f"{each.name}[{_write_place(each.name, strided)}]")
    given += (f"{prefix}_results{{{_write_column(each.name, strided)}}}" for each in results)
    given += [f"{prefix}_kept{{shared + {kept}*{prefix.upper()}_THREAD.x}}"] if kept else []
    stored = "status |= " if strided else f"{status}[state] = "
    start = f"{stored if status else ''}{function}("
    listed = ", ".join(each.replace(" ", UNBROKEN) for each in given)
    first, *others = wrap_text(
        f"{start.replace(' ', UNBROKEN)}{listed});", WIDTH - len(3 * _INDENT)
    )
    return "\n".join([first, *(_INDENT + line for line in others)]).replace(UNBROKEN, " ")


def _write_place(array: str, strided: bool) -> str:
    """Return the index of a state's first element in an array, as text."""
    return f"state*{array}_step" if strided else "state"


def _write_column(array: str, strided: bool) -> str:
    """Return texts: a pointer to a state's first element, and the distance between elements."""
    return f"{array} + {_write_place(array, strided)}, {f'{array}_stride' if strided else 'stride'}"


def _describe_launch(
    package: Package, kernel: Kernel, calls: Sequence[str], kept: int, strided: bool = False
) -> _Launch:
    """Return the texts of a GPU kernel on arrays of states, for the jinja2 template.

    A strided kernel has two more arguments for each array: the distances between elements (stride)
    and between states (step). No function of the header launches a strided kernel.
    """
    if strided:
        return _describe_strided(package, kernel, calls, kept)
    real = REAL_TYPES[package.real].name
    symbol = prefix_symbol(package.prefix, kernel.function)
    signature = declare(kernel.make_routine(symbol), CONVENTIONS).signature
    status = next((each.name for each in signature.outputs if each.is_status), "")
    whole = _write_call(package, symbol, signature.inputs, signature.results, status)
    pointers = {
        **{each.name: f"const {real} *" for each in signature.inputs},
        **{each.name: f"{real} *" for each in signature.results},
        **({status: "int *"} if status else {}),
    }
    sizes = ["size_t count", "size_t stride"]
    restricted = [f"{pointer}__restrict__ {name}" for name, pointer in pointers.items()]
    return _Launch(
        kernel.function,
        declare_function(
            f"{package.prefix.upper()}_KERNEL", name_batch_kernel(symbol), [*sizes, *restricted]
        ),
        list(calls) or [whole],
        [
            *sizes,
            *(f"{pointer}{name}" for name, pointer in pointers.items()),
            f"{package.prefix}_stream stream",
        ],
        ["count", "stride", *pointers],
        kept,
    )


def _describe_strided(package: Package, kernel: Kernel, calls: Sequence[str], kept: int) -> _Launch:
    """Return the texts of a GPU kernel for arrays with any distances (strides) between elements."""
    real = REAL_TYPES[package.real].name
    symbol = prefix_symbol(package.prefix, kernel.function)
    signature = declare(kernel.make_routine(symbol), CONVENTIONS).signature
    arguments = _add_values(package, signature)
    status = STATUS if signature.can_fail else ""
    whole = _write_call(package, symbol, signature.inputs, signature.results, status, strided=True)
    listed = ["size_t count"]
    for each in (*arguments.inputs, *arguments.results):
        constant = "const " if each in arguments.inputs else ""
        array = f"{constant}{real} *__restrict__ {each.name}"
        listed += [array, f"size_t {each.name}_stride", f"size_t {each.name}_step"]
    prepare = ""
    if arguments != signature:
        name = prefix_symbol(package.prefix, PREPARE)
        values = f"{package.prefix}_inputs{{{_write_column(arguments.inputs[-1].name, True)}}}"
        prepare = f"{name}({values}, {PARAMS})"
    can_fail = signature.can_fail or prepare
    return _Launch(
        kernel.function,
        declare_function(f"{package.prefix.upper()}_KERNEL", name_strided_kernel(symbol), listed),
        list(calls) or [whole],
        [],
        [],
        kept,
        prepare=prepare,
        invalidated=tuple(
            (f"{package.prefix}_results{{{_write_column(each.name, True)}}}", each.size)
            for each in signature.results
            if can_fail
        ),
    )


def collect_readme_values(package: Package) -> dict[str, Any]:
    """Return values, by name, for CUDA's README template: largest angle, and an example call."""
    kernel = package.kernels[package.example_index]
    launch = _describe_launch(package, kernel, [], 0)
    stream = f"{package.prefix}_stream "
    names = [*launch.names, "stream"]
    text = f"int error = {package.prefix}_{launch.name}_launch({', '.join(names)});"
    return {
        "reach": FUSED_REACH[package.real],
        "batch": "\n".join([f"{stream}stream = nullptr;", *break_line(text, _INDENT)]),
    }


# Names of the templates of example and golden test.
_TAKEN = ("wrong", "count_wrong", "states", "expected", "allowed", "values", "k", "i", "printf")


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of C++ for the templates of CUDA's example and golden test.

    The golden test is a program that compares results with stored correct results.
    """
    real, suffix, _ = REAL_TYPES[package.real]

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
        reserved=(*CONVENTIONS.reserved, *_TAKEN, package.prefix),
        values={"real": real, "suffix": suffix, "row": row, "rows": rows},
        one_scope=True,
    )


def print_loops(routines: Sequence[Routine], real: Real) -> tuple[SourceFile, ...]:
    """Return a C++ file with loops over states that run CUDA kernels on the CPU.

    Args:
        routines: kernels, which are only declared, and the loops that call them.
        real: number type of the kernels.
    """
    loops: list[dict[str, Any]] = [
        {
            "symbol": routine.symbol,
            "kernel": routine.loop.kernel,
            "signature": routine.signature,
            "sides": routine.loop.side_by_side,
            "launch": f"{routine.loop.kernel.removesuffix(name_batch_kernel(''))}_launch",
        }
        for routine in routines
        if isinstance(routine.loop, StateLoop)
    ]
    # All kernels are in one header, which has the name of the prefix.
    first = next(routine for routine in routines if not isinstance(routine.loop, StateLoop))
    prefix = first.symbol.removesuffix(f"_{first.signature.name}")
    text = fill(
        "cuda/loops.cpp.j2",
        prefix=prefix,
        real=REAL_TYPES[real].name,
        loops=loops,
        stride=STRIDE,
        part=PART,
        params=PARAMS,
    )
    return (SourceFile("loops.cpp", text),)
