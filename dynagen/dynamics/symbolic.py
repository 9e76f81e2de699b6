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
    globals().update({name: import_on_call(f"sympy.{name}") for name in __all__})
