"""Formulas that every recursion uses: the joint axis, symmetric tensors, sums, differences and products."""

from __future__ import annotations

from sympy import Expr, Matrix, Rational

from dynagen.dynamics.recording.formula import formula

Z = Matrix([0, 0, 1])
"""The axis of every joint, in the axes of its body."""


def symmetric(tensor: Matrix) -> Matrix:
    """The symmetric matrix of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = tensor
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@formula
def sum_of(left: Expr, right: Expr) -> Expr:
    """Sum of two scalars, vectors or tensors."""
    return left + right


@formula
def difference_of(left: Expr, right: Expr) -> Expr:
    """Difference of two scalars or vectors."""
    return left - right


@formula
def product(left: Expr, right: Expr) -> Expr:
    """Product of a scalar with a scalar, a vector or a tensor."""
    return left * right


@formula
def half(value: Expr) -> Expr:
    """Half of a scalar."""
    return Rational(1, 2) * value


@formula
def negative(value: Expr) -> Expr:
    """The opposite of a scalar or a vector."""
    return -value


@formula
def along_axis(length: Expr) -> Matrix:
    """A vector along a joint axis."""
    return length * Z
