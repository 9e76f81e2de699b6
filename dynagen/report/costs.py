"""Costs and critical paths of kernels, for the report, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from dynagen.generation import Generation
from dynagen.ir.cost import FLOPS, cost_of, find_cost
from dynagen.ir.critical_path import critical_path
from dynagen.ir.fusion import fused_products
from dynagen.optimize.compilation import CompiledFunction
from dynagen.report.console import new_table


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
        cost, path = float(cost_of(function.program, model)[0]), float(critical_path(function.program, model))
        fusible = len(fused_products(function.program))
        costs.append(KernelCost(name, cost, path, round(cost / path, 2) if path else 1.0, fusible))
    return costs


def costs_table(console: Console, generation: Generation) -> Table:
    """Costs, critical paths and parallelism of all kernels."""
    table = new_table(
        console, "Cost and critical path", "kernel", "counted in", "cost", "critical path", "parallelism", "fusible mul+add"
    )
    for function in generation.functions:
        for each in kernel_costs(generation, function):
            numbers = (f"{each.cost:g}", f"{each.critical_path:g}", f"{each.parallelism:.1f}", str(each.fusible))
            table.add_row(function.name, each.model, *numbers)
    return table
