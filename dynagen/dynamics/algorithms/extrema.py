"""Formulas for the smaller and for the greater of two scalars."""

from __future__ import annotations

from sympy import Expr, Max, Min

from dynagen.dynamics.recording import formula


@formula
def smaller(one: Expr, other: Expr) -> Expr:
    """Return the smaller of two values."""
    return Min(one, other)


@formula
def greater(one: Expr, other: Expr) -> Expr:
    """Return the greater of two values."""
    return Max(one, other)
