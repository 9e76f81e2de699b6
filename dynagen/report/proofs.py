"""Proofs -> a table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from dynagen.report.console import new_table
from dynagen.verification.comparison import KernelProof


def proof_table(console: Console, proofs: Iterable[KernelProof]) -> Table:
    """One row for every kernel and reference."""
    table = new_table(console, "Proof", "kernel", "states", "worst error", "allowed", "against")
    for proof in proofs:
        for comparison in proof.comparisons:
            error, within = f"{comparison.worst_error:.1e}", f"{proof.within:.2g}"
            table.add_row(proof.function, str(proof.states), error, within, comparison.reference)
    return table
