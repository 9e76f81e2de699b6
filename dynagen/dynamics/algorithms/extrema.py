"""Formulas for the smaller and for the greater of two scalars."""

from __future__ import annotations

from dynagen.dynamics.recording import formula
from dynagen.dynamics.symbolic import Expr, Max, Min


@formula
def smaller(one: Expr, other: Expr) -> Expr:
    """Return the smaller of two values."""
    return Min(one, other)


@formula
def greater(one: Expr, other: Expr) -> Expr:
    """Return the greater of two values."""
    return Max(one, other)
