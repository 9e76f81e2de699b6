"""Report of a run, as tables and as JSON: operations, passes, costs, proof, cores, files.

Proofs -> a table.

Costs and critical paths of kernels, for the report, as text and as JSON.

Estimates of what several cores gain, as a table and in sentences.

Generation -> tables on a console: operations, pass by pass, proof, files.

Generation -> JSON: the manifest with measured errors, pass counts and times added.
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

from dynagen.codegen.size import COMPILER, Size, kernel_size
from dynagen.ir.cost import (
    FLOPS,
    OperationCount,
    cost_of,
    count,
    critical_path,
    find_cost,
    fused_products,
)
from dynagen.ir.operation import Operation
from dynagen.numbers.real import DOUBLE
from dynagen.optimizer.compile import CompiledFunction
from dynagen.pipeline.generation import Generation
from dynagen.report.accuracy import Rounding
from dynagen.report.console import new_table
from dynagen.report.constants import Explanation
from dynagen.verification.comparison import KernelProof


def proof_table(console: Console, proofs: Iterable[KernelProof]) -> Table:
    """One row for every kernel and reference."""
    table = new_table(console, "Proof", "kernel", "states", "worst error", "allowed", "against")
    for proof in proofs:
        for comparison in proof.comparisons:
            error, within = f"{comparison.worst_error:.1e}", f"{proof.within:.2g}"
            table.add_row(proof.function, str(proof.states), error, within, comparison.reference)
    return table


@dataclass(frozen=True)
class KernelCost:
    """What one call of a kernel costs under a cost model.

    Attributes:
        model: name of the cost model.
        cost: of all operations.
        critical_path: cost of the longest chain of operations of which each needs the one before.
        parallelism: cost divided by critical path: how many operations can be under way at once, on average.
        fusible: products that an addition can take along in a fused multiply-add.
    """

    model: str
    cost: float
    critical_path: float
    parallelism: float
    fusible: int


def kernel_costs(generation: Generation, function: CompiledFunction) -> list[KernelCost]:
    """Costs by number of operations, and under the cost model of the run if that is another one."""
    costs = []
    for name in dict.fromkeys((FLOPS.name, generation.request.settings.cost)):
        model = find_cost(name)
        cost, path = (
            float(cost_of(function.program, model)[0]),
            float(critical_path(function.program, model)),
        )
        fusible = len(fused_products(function.program))
        costs.append(KernelCost(name, cost, path, round(cost / path, 2) if path else 1.0, fusible))
    return costs


def costs_table(console: Console, generation: Generation) -> Table:
    """Costs, critical paths and parallelism of all kernels."""
    table = new_table(
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
        for each in kernel_costs(generation, function):
            numbers = (
                f"{each.cost:g}",
                f"{each.critical_path:g}",
                f"{each.parallelism:.1f}",
                str(each.fusible),
            )
            table.add_row(function.name, each.model, *numbers)
    return table


def cores_table(console: Console, generation: Generation) -> Table:
    """One row for every function that is divided; times in nanoseconds."""
    settings = generation.request.settings
    times = f"{settings.operation_ns:g} ns an operation, {settings.handover_ns:g} ns a hand-over"
    title = f"Estimated for {settings.cores} cores ({times})"
    table = new_table(
        console, title, "function", "one core (ns)", "all (ns)", "speed-up", "messages", "values"
    )
    for kernel in generation.package.kernels:
        if (found := kernel.partition) is not None:
            durations = (f"{float(time):.0f}" for time in (found.alone, found.together))
            values = sum(len(message.values) for message in found.messages)
            table.add_row(
                kernel.function,
                *durations,
                f"{float(found.speedup):.2f}",
                str(len(found.messages)),
                str(values),
            )
    return table


def idle_cores(generation: Generation) -> Iterator[str]:
    """For every function that one core computes alone though it should be divided, why it does."""
    for kernel in generation.package.kernels:
        found = kernel.partition
        if found is not None and found.busy < 2:
            yield (
                f"{kernel.function}: more cores do not pay, core 0 does it all: it takes {float(found.alone):.0f} ns, "
                f"and to hand a value over {generation.request.settings.handover_ns:g} ns (--operation-ns, --handover-ns)"
            )


_LARGE = 4000  # operations and stores of a kernel for which a compiler is waited for


def print_generation(
    console: Console, generation: Generation, folder: Path | None, verbose: bool
) -> None:
    """Print a run's report.

    Args:
        console: where to print; tables are plain ASCII unless it is a terminal.
        generation: what was generated.
        folder: where it was written; None if it was not.
        verbose: whether to print how every function came to its operations, base parameters and files as well.
    """
    package = generation.package
    joints = "1 joint" if len(package.joints) == 1 else f"{len(package.joints)} joints"
    console.print(
        f"[bold]{escape(package.robot)}[/]: {joints}, {generation.request.language.name}, {package.real.name}"
    )
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
    columns = (
        "kernel",
        "statements",
        "live values",
        "segments",
        "code, bytes",
        "stack, bytes",
        "seconds",
    )
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
    made = [
        Counter(each.operation for each in function.program.instructions)
        for function in generation.functions
    ]
    rare = [
        operation
        for operation in Operation
        if operation.kind in ("sqrt", "other") and any(each[operation] for each in made)
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
        numbers = (
            *usual,
            *(counted[operation] for operation in rare),
            operations.neg,
            operations.total,
        )
        table.add_row(function.name, *_texts(numbers), str(count(function.recorded).total))
    return table


def _methods(console: Console, generation: Generation) -> Table:
    """Every method of a function that offers a choice."""
    table = new_table(
        console, "Methods", "kernel", "method", "mul", "add", "div", "mul+add+div", ""
    )
    for function in generation.functions:
        for method, operations in function.considered if len(function.considered) > 1 else ():
            numbers = (operations.mul, operations.add, operations.div, operations.total)
            table.add_row(
                function.name,
                method,
                *_texts(numbers),
                "taken" if method == function.method else "",
            )
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
        table.add_row(
            name,
            *(f"{difference:+.0f}" if difference else "" for difference in differences),
            f"{milliseconds:.0f}",
        )
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
    table = new_table(
        console,
        "Where float differs most from double",
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


def _files(console: Console, generation: Generation) -> Table:
    table = new_table(console, "Files", "file", "lines", "bytes")
    for file in generation.files:
        table.add_row(escape(file.path), str(file.text.count("\n")), str(len(file.text.encode())))
    return table


def _texts(numbers: Iterable[int]) -> list[str]:
    return [str(number) for number in numbers]


def generation_json(
    generation: Generation,
    folder: Path | None,
    roundings: Mapping[str, Rounding],
    explanation: Explanation | None,
) -> str:
    """The report of `--report json`, one object; `measured` differs from machine to machine, all else does not."""
    manifest: dict[str, Any] = json.loads(generation.manifest.text)
    for function in generation.functions:
        costs = [asdict(cost) for cost in kernel_costs(generation, function)]
        manifest["kernels"][function.name]["measured"] = {
            **_measured(
                function, generation.proofs.get(function.name), roundings.get(function.name)
            ),
            "costs": costs,
        }
    if explanation is not None:
        manifest["constants"] = asdict(explanation)
    manifest["notes"] = list(generation.notes)
    manifest["folder"] = None if folder is None else str(folder)
    manifest["seconds"] = {
        stage: round(seconds, 6) for stage, seconds in generation.seconds.items()
    }
    return json.dumps(manifest, indent=2)


def _measured(
    function: CompiledFunction, proof: KernelProof | None, rounding: Rounding | None
) -> dict[str, Any]:
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
