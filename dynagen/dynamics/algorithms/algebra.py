"""The joint axis and symmetric tensors, for formulas of all recursions."""

from __future__ import annotations

from sympy import Expr, Matrix

from dynagen.dynamics.recording.formula import formula

Z = Matrix([0, 0, 1])
"""The axis of every joint, in the axes of its body."""


def symmetric(tensor: Matrix) -> Matrix:
    """Return the symmetric matrix of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = tensor
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@formula
def along_axis(length: Expr) -> Matrix:
    """A vector along a joint axis."""
    return length * Z
