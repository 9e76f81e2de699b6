"""Closed form of the equations of motion, M(q), C(q, qd) and g(q), of robots with few joints.

The programs of the mass matrix M and the gravity forces g are evaluated with sympy expressions in
place of numbers. Sympy then expands the products in these expressions, and collects equal terms.
The Coriolis matrix C is made from the Christoffel symbols of the first kind, so that dM/dt - 2 C is
skew-symmetric (Siciliano et al., Robotics, 2009, section 7.2.1):

    C_ij = sum_k c_ijk qd_k, c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import sympy
from sympy.simplify.fu import TR8

from dynagen.apps.equations.recursion import build_named_model
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions.inverse_dynamics import GRAVITY_FORCES
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.errors import UsageError
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.operation import Operation
from dynagen.numbers.exact import Exact
from dynagen.numbers.traced import TracedNumber, list_parts
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel

MOST_JOINTS = 3
"""Largest number of joints: the closed form of a longer chain fills pages."""

Symbols = tuple[sympy.Symbol, ...]


@dataclass(frozen=True)
class ClosedForm:
    """Equations of motion tau = M qdd + C qd + g as sympy expressions.

    Attributes:
        positions, velocities: symbols q1, q2, ... and qd1, qd2, ... of the n joints.
        mass_matrix: M, n x n, each entry in kg m^2, kg m or kg.
        coriolis_matrix: C from Christoffel symbols, n x n, with C qd in N m or N.
        gravity_forces: joint forces g, n entries (N m or N).
        numbers: mapping from each name in the formulas, such as m2, to the described number that it
            replaces; empty if the formulas contain numbers.
    """

    positions: Symbols
    velocities: Symbols
    mass_matrix: sympy.Matrix
    coriolis_matrix: sympy.Matrix
    gravity_forces: sympy.Matrix
    numbers: Mapping[str, Exact]


def derive_closed_form(description: RobotDescription, with_names: bool) -> ClosedForm:
    """Derive M, C and g of the equations of motion tau = M qdd + C qd + g as formulas.

    Args:
        description: a robot with a fixed base and up to three joints, without run-time parameters.
        with_names: True for names, such as m2, in place of the description's numbers.

    Returns:
        Mass matrix M, Coriolis matrix C from Christoffel symbols, and gravity forces g in sympy.

    Raises:
        UsageError: the robot has more than three joints, a floating base or run-time parameters.
    """
    model, numbers = build_named_model(description, with_names)
    joints = (body.joint for body in model.bodies)
    refuse_special_joints(description.name, joints, "--closed")
    if model.floats or model.nv > MOST_JOINTS:
        found = "a floating base" if model.floats else f"{model.nv} joints"
        raise UsageError(
            f"--closed: expected a robot with up to {MOST_JOINTS} joints on a fixed base; "
            f"{description.name} has {found}: omit --closed to print the recursion, or keep "
            "fewer joints with --tip"
        )
    count = model.nv
    q = sympy.symbols(f"q1:{count + 1}", real=True)
    qd = sympy.symbols(f"qd1:{count + 1}", real=True)
    mass_matrix = sympy.Matrix(count, count, _evaluate(MASS_MATRIX, model, q))
    coriolis = sympy.zeros(count, count)
    for i, j, k in product(range(count), repeat=3):
        coefficient = (
            sympy.diff(mass_matrix[i, j], q[k])
            + sympy.diff(mass_matrix[i, k], q[j])
            - sympy.diff(mass_matrix[j, k], q[i])
        ) / 2
        coriolis[i, j] += coefficient * qd[k]
    return ClosedForm(
        q,
        qd,
        mass_matrix,
        coriolis.applyfunc(_simplify),
        sympy.Matrix(count, 1, _evaluate(GRAVITY_FORCES, model, q)),
        numbers,
    )


def _simplify(expression: sympy.Expr) -> sympy.Expr:
    """Replace products of sines and cosines by sines and cosines of angle sums; collect factors.

    For example, sin(q1) cos(q2) becomes (sin(q1 + q2) + sin(q1 - q2)) / 2. This form is unique, so
    that equal terms can be added, and sin^2 + cos^2 becomes 1.
    """
    terms = sympy.expand(TR8(sympy.expand(expression)))
    angles = terms.atoms(sympy.sin, sympy.cos)
    return sympy.collect(terms, sorted(angles, key=sympy.default_sort_key), func=_factor)


def _factor(total: sympy.Expr) -> sympy.Expr:
    """Write a sum whose terms have common factors as a product, such as -(qd1 + qd2)/2.

    Different numeric factors stay in the sum, because the greatest common divisor of decimal
    numbers has many digits.
    """
    numbers, symbols = zip(
        *(term.as_coeff_Mul() for term in sympy.Add.make_args(total)), strict=True
    )
    is_common = len({abs(number) for number in numbers}) == 1
    number = abs(numbers[0]) if is_common else sympy.S.One
    factor = sympy.gcd_list(symbols) * (number if max(numbers) > 0 else -number)
    if len(numbers) == 1 or factor == 1:
        return total
    rest = sympy.Add(*(x / factor * y for x, y in zip(numbers, symbols, strict=True)))
    # Unevaluated, because sympy multiplies numbers into sums.
    return sympy.Mul(factor, sympy.factor(rest) if is_common else rest, evaluate=False)


def _evaluate(function: DynamicsFunction, model: RobotModel, q: Symbols) -> list[sympy.Expr]:
    """Return the elements of a function's only output as sympy expressions of the positions q."""
    program = function.build(model)
    (elements,) = evaluate(program, {"q": q}, _SYMPY).values()
    return [_simplify(element) for element in elements]


def to_sympy(number: Exact) -> sympy.Expr:
    """Return a number as an exact sympy number, or as a sympy formula of the names in it."""
    if isinstance(number, TracedNumber) and not list_parts(number.terms):
        # Names such as m2 or cos(alpha2) become symbols: no text of a description is evaluated.
        return sympy.Add(
            *(
                to_sympy(factor)
                * sympy.Mul(*(sympy.Symbol(str(name)) ** power for name, power in sorted(factors)))
                for factors, factor in number.terms.items()
            )
        )
    *roots, denominator = number.integers
    return sympy.Add(
        *(
            sympy.Rational(root, denominator) * sympy.sqrt(square)
            for root, square in zip(roots, (1, 2, 3, 6), strict=True)
        )
    )


_SYMPY = Arithmetic(
    to_sympy,
    {Operation.SQRT: sympy.sqrt, Operation.SINE: sympy.sin, Operation.COSINE: sympy.cos},
)
