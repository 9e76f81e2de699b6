"""The names of sympy in formulas; sympy is imported when the first formula is traced.

Most runs read the traces of all their formulas from files, and never import sympy.
"""

from typing import TYPE_CHECKING

from dynagen.on_demand import import_on_call

__all__ = (
    "Abs",
    "Expr",
    "Matrix",
    "Max",
    "Min",
    "Rational",
    "collect",
    "exp",
    "expand",
    "eye",
    "sign",
    "sqrt",
    "tanh",
)

if TYPE_CHECKING:
    from sympy import (
        Abs,
        Expr,
        Matrix,
        Max,
        Min,
        Rational,
        collect,
        exp,
        expand,
        eye,
        sign,
        sqrt,
        tanh,
    )
else:
    Expr = object  # only annotations contain it
    Abs = import_on_call("sympy.Abs")
    Matrix = import_on_call("sympy.Matrix")
    Max = import_on_call("sympy.Max")
    Min = import_on_call("sympy.Min")
    Rational = import_on_call("sympy.Rational")
    collect = import_on_call("sympy.collect")
    exp = import_on_call("sympy.exp")
    expand = import_on_call("sympy.expand")
    eye = import_on_call("sympy.eye")
    sign = import_on_call("sympy.sign")
    sqrt = import_on_call("sympy.sqrt")
    tanh = import_on_call("sympy.tanh")
