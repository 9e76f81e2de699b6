"""Report of a run, as tables on the console and as JSON.

The JSON contains the manifest, and also measured errors, operation counts of each pass, and times.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.codegen.size import COMPILER, Size, measure_kernel_size
from dynagen.codegen.targets.manifest import describe
from dynagen.ir.cost import (
    FLOPS,
    OperationCount,
    compute_cost,
    compute_critical_path,
    count,
    find_cost,
    find_fused_products,
)
from dynagen.ir.operation import FUNCTIONS, LOOKUP
from dynagen.numbers.real import DOUBLE
from dynagen.optimizer.compile import CompiledFunction
from dynagen.pipeline.generation import Generation
from dynagen.report.accuracy import Rounding
from dynagen.report.console import make_table
from dynagen.report.constants import Explanation
from dynagen.verification.comparison import KernelProof


def tabulate_proofs(console: Console, proofs: Iterable[KernelProof]) -> Table:
    """Return a table of proofs, with one row for each kernel and numeric reference.

    The columns are kernel, number of states, worst error, allowed error and reference.

    Args:
        console: where the table will be printed.
        proofs: proofs of kernels.
    """
    table = make_table(console, "Proof", "kernel", "states", "worst error", "allowed", "against")
    for proof in proofs:
        for comparison in proof.comparisons:
            error, within = f"{comparison.worst_error:.1e}", f"{proof.within:.2g}"
            table.add_row(proof.function, str(proof.states), error, within, comparison.reference)
    return table


@dataclass(frozen=True)
class KernelCost:
    """Cost of one call of a kernel under a cost model.

    Attributes:
        model: name of the cost model.
        cost: cost of all operations.
        critical_path: cost of the longest chain of dependent operations.
        parallelism: cost divided by critical path, the mean number of operations that can run at
            the same time.
        fusible: number of products that a fused multiply-add can combine with an addition.
    """

    model: str
    cost: float
    critical_path: float
    parallelism: float
    fusible: int


def evaluate_costs(generation: Generation, function: CompiledFunction) -> list[KernelCost]:
    """Return the cost of one call in operations, then in the run's cost model if it differs."""
    costs = []
    for name in dict.fromkeys((FLOPS.name, generation.request.settings.cost)):
        model = find_cost(name)
        cost, path = (
            float(compute_cost(function.program, model)[0]),
            float(compute_critical_path(function.program, model)),
        )
        fusible = len(find_fused_products(function.program))
        costs.append(KernelCost(name, cost, path, round(cost / path, 2) if path else 1.0, fusible))
    return costs


def _tabulate_costs(console: Console, generation: Generation) -> Table:
    """Return a table of costs, critical paths and parallelism of all kernels."""
    table = make_table(
        console,
        "Cost and critical path",
        "kernel",
        "counted in",
        "cost",
        "critical path",
        "parallelism",
        "fusible mul+add",
    )
    for function in generation.functions:
        for cost in evaluate_costs(generation, function):
            numbers = (
                f"{cost.cost:g}",
                f"{cost.critical_path:g}",
                f"{cost.parallelism:.1f}",
                str(cost.fusible),
            )
            table.add_row(function.name, cost.model, *numbers)
    if not find_cost(generation.request.settings.cost).weights.get("sincos"):
        table.caption = "without sines and cosines; --footprint counts the instructions of a call"
        table.caption_justify = "left"
    return table


def _tabulate_cores(console: Console, generation: Generation) -> Table:
    """Return a table with one row for each function that is divided among cores; times in ns."""
    settings = generation.request.settings
    times = f"{settings.operation_ns:g} ns per operation, {settings.handover_ns:g} ns per hand-off"
    title = f"Estimated for {settings.cores} cores ({times})"
    table = make_table(
        console, title, "function", "one core (ns)", "all (ns)", "speed-up", "messages", "values"
    )
    for kernel in generation.package.kernels:
        if (partition := kernel.partition) is not None:
            durations = (f"{float(time):.0f}" for time in (partition.alone, partition.together))
            values = sum(len(message.values) for message in partition.messages)
            table.add_row(
                kernel.function,
                *durations,
                f"{float(partition.speedup):.2f}",
                str(len(partition.messages)),
                str(values),
            )
    return table


def _explain_idle_cores(generation: Generation) -> Iterator[str]:
    """Yield an explanation for each function that is not divided among cores."""
    for kernel in generation.package.kernels:
        partition = kernel.partition
        if partition is not None and partition.busy < 2:
            yield (
                f"{kernel.function}: core 0 computes the whole function, because several cores "
                f"would not be faster: the kernel takes {float(partition.alone):.0f} ns, a "
                "hand-off "
                f"{generation.request.settings.handover_ns:g} ns (--operation-ns, --handover-ns)"
            )


_LARGE = 4000  # operations and stores; compilation of a larger kernel takes noticeable time


def print_generation(
    console: Console, generation: Generation, folder: Path | None, verbose: bool
) -> None:
    """Print the report of a run.

    Args:
        console: where to print; tables are plain ASCII unless it is a terminal.
        generation: results of the run.
        folder: folder of the written files or archive; None if nothing was written.
        verbose: whether to also print costs, sizes, methods, passes, base parameters, files and
            notes.
    """
    package = generation.package
    console.print(
        f"[bold]{escape(package.robot)}[/]: {package.joint_count}, "
        f"{generation.request.language.name}, {package.real.name}"
    )
    console.print(_tabulate_operations(console, generation))
    if verbose or generation.request.settings.cost != FLOPS.name:
        console.print(_tabulate_costs(console, generation))
    if generation.request.settings.cores > 1:
        console.print(_tabulate_cores(console, generation))
        for note in _explain_idle_cores(generation):
            console.print(f"  note: {escape(note)}")
    if verbose:
        if generation.request.language.is_sized:
            console.print(_tabulate_sizes(console, generation))
        _print_history(console, generation)
    _print_proof(console, generation)
    if package.real is not DOUBLE and package.proof is not None:
        console.print(_tabulate_float_differences(console, generation))
    for name, size in _estimate_sizes(generation):
        if size.length > _LARGE:
            console.print(f"  note: {name} is large: {_describe_size(size)}")
    if folder is not None:
        if verbose:
            console.print(_tabulate_files(console, generation))
        number = len(generation.notes)
        notes = {0: "", 1: "1 note, "}.get(number, f"{number} notes, ")
        more = "" if verbose else f"; -v shows {notes}passes, methods, costs and files"
        console.print(
            f"Written to [bold]{escape(str(generation.place(folder)))}[/]{more}", soft_wrap=True
        )
    for note in generation.notes if verbose else ():
        console.print(f"note: {escape(note)}")


def _estimate_sizes(generation: Generation) -> list[tuple[str, Size]]:
    """Estimate the size of each kernel; empty for languages without estimates."""
    package = generation.package
    kernels = package.kernels if generation.request.language.is_sized else ()
    return [(kernel.function, measure_kernel_size(package, kernel)) for kernel in kernels]


def _describe_size(size: Size) -> str:
    """Return a sentence on a kernel's statements, compile time, code size and stack size."""
    segments = f" in {size.segments} segments" if size.segments > 1 else ""
    return (
        f"{size.statements} statements{segments}. Expect {size.seconds:.1f} s of compilation with "
        f"{COMPILER}, {size.code / 1000:.0f} kB of code and {size.stack / 1000:.0f} kB of stack"
    )


def _tabulate_sizes(console: Console, generation: Generation) -> Table:
    """Return a table of the kernels' statements, live values, sizes and compile times.

    Code size, stack size and compile time are estimates for one compiler.
    """
    columns = (
        "kernel",
        "statements",
        "live values",
        "segments",
        "code, bytes",
        "stack, bytes",
        "seconds",
    )
    table = make_table(
        console, f"Estimated code size, stack size and compile time with {COMPILER}", *columns
    )
    for name, size in _estimate_sizes(generation):
        numbers = (size.statements, size.live, size.segments, size.code, size.stack)
        table.add_row(name, *map(str, numbers), f"{size.seconds:g}")
    return table


def _print_history(console: Console, generation: Generation) -> None:
    """Print the compared methods, the passes of each program, and the base parameters."""
    if any(len(function.considered) > 1 for function in generation.functions):
        console.print(_tabulate_methods(console, generation))
    for function in generation.functions:
        console.print(_tabulate_passes(console, function))
    if generation.package.base:
        console.print("Base parameters")
        for grouping in generation.package.base:
            console.print(f"  {escape(grouping.formula)}", soft_wrap=True)


def _tabulate_operations(console: Console, generation: Generation) -> Table:
    """Return a table of operation counts with one row for each kernel.

    An expensive operation, such as tanh, has a column if it occurs.
    """
    counters = [
        Counter(instruction.operation.word for instruction in function.program.instructions)
        for function in generation.functions
    ]
    rare = [
        word
        for word in (*(operation.word for operation in FUNCTIONS), LOOKUP)
        if any(counter[word] for counter in counters)
    ]
    columns = (
        "mul",
        "add",
        "div",
        "sincos",
        *rare,
        "neg",
        "mul+add+div",
        "recorded",
    )
    table = make_table(console, "Operations of one call", "kernel", *columns)
    for function, counter in zip(generation.functions, counters, strict=True):
        operations = function.operations
        usual = (operations.mul, operations.add, operations.div, operations.sincos)
        numbers = (
            *usual,
            *(counter[word] for word in rare),
            operations.neg,
            operations.total,
        )
        table.add_row(function.name, *_texts(numbers), str(count(function.recorded).total))
    return table


def _tabulate_methods(console: Console, generation: Generation) -> Table:
    """Return a table of operation counts by method, for all functions with several methods."""
    table = make_table(
        console, "Methods", "kernel", "method", "mul", "add", "div", "mul+add+div", ""
    )
    for function in generation.functions:
        for method, operations in function.considered if len(function.considered) > 1 else ():
            numbers = (operations.mul, operations.add, operations.div, operations.total)
            table.add_row(
                function.name,
                method,
                *_texts(numbers),
                "chosen" if method == function.method else "",
            )
    return table


def _tabulate_passes(console: Console, function: CompiledFunction) -> Table:
    """Return a table with one row for each pass, with the changes summed over all its runs."""
    table = make_table(console, f"Passes: {function.name}", "pass", "mul", "add", "neg", "ms")
    table.add_row("as recorded", *_texts(_select_counts(count(function.recorded))), "")
    changes: dict[str, list[float]] = {}
    for record in function.passes:
        change = changes.setdefault(record.name, [0, 0, 0, 0.0])
        before, after = _select_counts(record.before), _select_counts(record.after)
        for index in range(3):
            change[index] += after[index] - before[index]
        change[3] += record.seconds * 1e3
    for name, (*differences, milliseconds) in changes.items():
        table.add_row(
            name,
            *(f"{difference:+.0f}" if difference else "" for difference in differences),
            f"{milliseconds:.0f}",
        )
    table.add_row("emitted", *_texts(_select_counts(function.operations)), "")
    return table


def _select_counts(operations: OperationCount) -> tuple[int, int, int]:
    return operations.mul, operations.add, operations.neg


def _print_proof(console: Console, generation: Generation) -> None:
    """Print the proofs, or a warning that the code is not verified."""
    if generation.package.proof is None:
        console.print("[yellow]Not verified.[/] All generated files state this.")
        return
    console.print(tabulate_proofs(console, list(generation.proofs.values())))


def _tabulate_float_differences(console: Console, generation: Generation) -> Table:
    """Return a table of the states with the largest differences between float and double."""
    table = make_table(
        console,
        "States with the largest difference between float and double",
        "kernel",
        "entry",
        "float",
        "double",
        "difference",
    )
    for name, proof in generation.proofs.items():
        worst = proof.worst
        numbers = (
            f"{worst.computed:.9g}",
            f"{worst.expected:.9g}",
            f"{worst.computed - worst.expected:.1e}",
        )
        table.add_row(name, escape(worst.worst_entry), *numbers)
    return table


def _tabulate_files(console: Console, generation: Generation) -> Table:
    """Return a table of the delivered files: lines and bytes; for binary files, only bytes."""
    table = make_table(console, "Files", "file", "lines", "bytes")
    lines = {file.path: str(file.text.count("\n")) for file in generation.files}
    for path, content in generation.delivered.items():
        table.add_row(escape(path), lines.get(path, ""), str(len(content)))
    return table


def _texts(numbers: Iterable[int]) -> list[str]:
    return [str(number) for number in numbers]


def generation_to_json(
    generation: Generation,
    folder: Path | None,
    roundings: Mapping[str, Rounding],
    explanation: Explanation | None,
) -> str:
    """Return the report for `--format json`, as one JSON object.

    The keys `measured` and `seconds` depend on the machine; all other keys are the same on every
    machine.

    Args:
        generation: results of the run.
        folder: folder of the written files or archive; None if nothing was written.
        roundings: measured rounding errors by function name; empty if not measured.
        explanation: formulas of constants; None if not requested.
    """
    manifest = describe(
        generation.package, generation.request.language, generation.delivered.keys()
    )
    for function in generation.functions:
        costs = [asdict(cost) for cost in evaluate_costs(generation, function)]
        manifest["kernels"][function.name]["measured"] = {
            **_list_measurements(
                function, generation.proofs.get(function.name), roundings.get(function.name)
            ),
            "costs": costs,
        }
    if explanation is not None:
        manifest["constants"] = asdict(explanation)
    manifest["notes"] = list(generation.notes)
    manifest["folder"] = None if folder is None else str(folder)
    if generation.archive is not None:
        manifest["archive"] = generation.archive.name
    manifest["seconds"] = {
        stage: round(seconds, 6) for stage, seconds in generation.seconds.items()
    }
    return json.dumps(manifest, indent=2)


def _list_measurements(
    function: CompiledFunction, proof: KernelProof | None, rounding: Rounding | None
) -> dict[str, Any]:
    """Return errors, operation counts of methods, and passes of one function, for JSON."""
    return {
        "worst_errors": {}
        if proof is None
        else {item.reference: item.worst_error for item in proof.comparisons},
        "methods": {
            method: operations.as_dict() for method, operations in function.considered if method
        },
        "worst": None if proof is None else asdict(proof.worst),
        "rounding": None if rounding is None else rounding.as_dict(),
        "passes": [asdict(record) for record in function.passes],
    }
