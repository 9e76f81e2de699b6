"""Generation -> tables on a console: operations, pass by pass, proof, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.generation import Generation
from dynagen.ir.cost import FLOPS
from dynagen.ir.count import OperationCount, count
from dynagen.ir.operation import Operation
from dynagen.languages.size import COMPILER, Size, kernel_size
from dynagen.optimize.compilation import CompiledFunction
from dynagen.real import DOUBLE
from dynagen.report.console import new_table
from dynagen.report.cores import cores_table, idle_cores
from dynagen.report.costs import costs_table
from dynagen.report.proofs import proof_table

_LARGE = 4000  # operations and stores of a kernel for which a compiler is waited for


def print_generation(console: Console, generation: Generation, folder: Path | None, verbose: bool) -> None:
    """Print a run's report.

    Args:
        console: where to print; tables are plain ASCII unless it is a terminal.
        generation: what was generated.
        folder: where it was written; None if it was not.
        verbose: whether to print how every function came to its operations, base parameters and files as well.
    """
    package = generation.package
    joints = "1 joint" if len(package.joints) == 1 else f"{len(package.joints)} joints"
    console.print(f"[bold]{escape(package.robot)}[/]: {joints}, {generation.request.language.name}, {package.real.name}")
    for note in generation.notes:
        console.print(f"  note: {escape(note)}")
    console.print(_operations(console, generation))
    if verbose or generation.request.settings.cost != FLOPS.name:
        console.print(costs_table(console, generation))
    if generation.request.settings.cores > 1:
        console.print(cores_table(console, generation))
        for note in idle_cores(generation):
            console.print(f"  note: {escape(note)}")
    if verbose:
        if generation.request.language.is_compiled:
            console.print(_sizes_table(console, generation))
        _print_history(console, generation)
    _print_proof(console, generation)
    if package.real is not DOUBLE and package.proof is not None:
        console.print(_against_double(console, generation))
    for name, size in _sizes(generation):
        if size.length > _LARGE:
            console.print(f"  note: {name} is large: {_in_words(size)}")
    if folder is not None:
        if verbose:
            console.print(_files(console, generation))
        more = "" if verbose else "; -v shows passes, methods, costs and files"
        console.print(f"Written to [bold]{escape(str(folder))}[/]{more}", soft_wrap=True)


def _sizes(generation: Generation) -> list[tuple[str, Size]]:
    """The size of every kernel, if a compiler has to do with it."""
    package = generation.package
    kernels = package.kernels if generation.request.language.is_compiled else ()
    return [(kernel.function, kernel_size(package, kernel)) for kernel in kernels]


def _in_words(size: Size) -> str:
    segments = f" in {size.segments} segments" if size.segments > 1 else ""
    return (
        f"{size.statements} statements{segments}. Expect {size.seconds:.1f} s of {COMPILER}, "
        f"{size.code / 1000:.0f} kB of code and {size.stack / 1000:.0f} kB of stack"
    )


def _sizes_table(console: Console, generation: Generation) -> Table:
    """Statements and live values, and what is expected of a compiler."""
    columns = ("kernel", "statements", "live values", "segments", "code, bytes", "stack, bytes", "seconds")
    table = new_table(console, f"Size, as expected of {COMPILER}", *columns)
    for name, size in _sizes(generation):
        numbers = (size.statements, size.live, size.segments, size.code, size.stack)
        table.add_row(name, *map(str, numbers), f"{size.seconds:g}")
    return table


def _print_history(console: Console, generation: Generation) -> None:
    """Print how the functions came to their operations: methods, passes, base parameters."""
    if any(len(function.considered) > 1 for function in generation.functions):
        console.print(_methods(console, generation))
    for function in generation.functions:
        console.print(_passes(console, function))
    if generation.package.base:
        console.print("Base parameters")
        for grouping in generation.package.base:
            console.print(f"  {escape(grouping.formula)}", soft_wrap=True)


def _operations(console: Console, generation: Generation) -> Table:
    """One row a kernel; what costs far more than a multiplication, such as tanh, has a column where there is any."""
    made = [Counter(each.operation for each in function.program.instructions) for function in generation.functions]
    rare = [
        operation for operation in Operation if operation.kind in ("sqrt", "other") and any(each[operation] for each in made)
    ]
    columns = (
        "mul",
        "add",
        "div",
        "sincos",
        *(operation.value for operation in rare),
        "neg",
        "mul+add+div",
        "recorded",
    )
    table = new_table(console, "Operations of one call", "kernel", *columns)
    for function, counted in zip(generation.functions, made, strict=True):
        operations = function.operations
        usual = (operations.mul, operations.add, operations.div, operations.sincos)
        numbers = (*usual, *(counted[operation] for operation in rare), operations.neg, operations.total)
        table.add_row(function.name, *_texts(numbers), str(count(function.recorded).total))
    return table


def _methods(console: Console, generation: Generation) -> Table:
    """Every method of a function that offers a choice."""
    table = new_table(console, "Methods", "kernel", "method", "mul", "add", "div", "mul+add+div", "")
    for function in generation.functions:
        for method, operations in function.considered if len(function.considered) > 1 else ():
            numbers = (operations.mul, operations.add, operations.div, operations.total)
            table.add_row(function.name, method, *_texts(numbers), "taken" if method == function.method else "")
    return table


def _passes(console: Console, function: CompiledFunction) -> Table:
    """One row a pass, summed over its rounds, in the order of the first."""
    table = new_table(console, f"Passes: {function.name}", "pass", "mul", "add", "neg", "ms")
    table.add_row("as recorded", *_texts(_shown(count(function.recorded))), "")
    changes: dict[str, list[float]] = {}
    for record in function.passes:
        change = changes.setdefault(record.name, [0, 0, 0, 0.0])
        before, after = _shown(record.before), _shown(record.after)
        for index in range(3):
            change[index] += after[index] - before[index]
        change[3] += record.seconds * 1e3
    for name, (*differences, milliseconds) in changes.items():
        table.add_row(name, *(f"{difference:+.0f}" if difference else "" for difference in differences), f"{milliseconds:.0f}")
    table.add_row("emitted", *_texts(_shown(function.operations)), "")
    return table


def _shown(operations: OperationCount) -> tuple[int, int, int]:
    return operations.mul, operations.add, operations.neg


def _print_proof(console: Console, generation: Generation) -> None:
    if generation.package.proof is None:
        console.print("[yellow]Not verified.[/] The files say so too.")
        return
    console.print(proof_table(console, list(generation.proofs.values())))


def _against_double(console: Console, generation: Generation) -> Table:
    """The states in which kernels are furthest from the reference, which computes in double precision."""
    table = new_table(console, "Where float differs most from double", "kernel", "entry", "float", "double", "difference")
    for name, proof in generation.proofs.items():
        worst = proof.worst
        numbers = (f"{worst.computed:.9g}", f"{worst.expected:.9g}", f"{worst.computed - worst.expected:.1e}")
        table.add_row(name, escape(worst.worst_entry), *numbers)
    return table


def _files(console: Console, generation: Generation) -> Table:
    table = new_table(console, "Files", "file", "lines", "bytes")
    for file in generation.files:
        table.add_row(escape(file.path), str(file.text.count("\n")), str(len(file.text.encode())))
    return table


def _texts(numbers: Iterable[int]) -> list[str]:
    return [str(number) for number in numbers]
