"""Probability that fingerprints confuse two values, from degrees (Schwartz and Zippel).

    python -m hardening.fingerprint_degrees

The command prints the table of `docs/trust.md`. A value of a program is a quotient of two
polynomials in the inputs and in t = tan(angle/2) of every angle, because cosine and sine are (1 -
t^2)/(1 + t^2) and 2t/(1 + t^2). Two different quotients a/b and c/d agree at a random point modulo
the prime p with a probability of at most k/p. The number k is the degree of the polynomial a d - b
c (Schwartz, Journal of the ACM 27(4), 1980; Zippel, EUROSAM 1979).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10

from dynagen.dynamics.requests import find_functions
from dynagen.ir.fingerprints import FIELD, NARROW_FIELD, ResidueField
from dynagen.ir.program import Element, Operation, Program
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model

ROBOTS = ("puma560", "panda")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "regressor", "forward_dynamics")

_Degrees = Mapping[str, int]
"""Degree of a polynomial in each variable; cosine and sine of an angle are one variable."""
_OTHER = ""


@dataclass(frozen=True)
class Quotient:
    """Upper bounds of the degrees of a value, as a quotient of two polynomials.

    Attributes:
        numerator: degrees of the numerator.
        denominator: degrees of the denominator.
    """

    numerator: _Degrees
    denominator: _Degrees

    @property
    def degree(self) -> int:
        """Larger one of the degrees of numerator and denominator.

        Both are polynomials in the inputs and in tan(angle/2) of every angle.
        """
        return max(map(_count, (self.numerator, self.denominator)))


def _count(degrees: _Degrees) -> int:
    # Cosine and sine of an angle have numerators of degree two over one common denominator.
    return sum(degree if name == _OTHER else 2 * degree for name, degree in degrees.items())


def _multiply(left: _Degrees, right: _Degrees) -> _Degrees:
    return {name: left.get(name, 0) + right.get(name, 0) for name in left.keys() | right.keys()}


def _add(left: _Degrees, right: _Degrees) -> _Degrees:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in left.keys() | right.keys()}


def bound_degrees(program: Program) -> list[Quotient]:
    """Return bounds of the degrees of all values of a program.

    The result of an operation that is not algebraic counts as a new variable, as in fingerprints.
    """
    found: list[Quotient] = []
    for instruction in program.instructions:
        operands = [found[operand] for operand in instruction.operands]
        match instruction.operation, operands:
            case (Operation.INPUT, _):
                assert isinstance(instruction.payload, Element)
                found.append(Quotient({_OTHER: 1}, {}))
            case (Operation.CONSTANT, _):
                found.append(Quotient({}, {}))
            case (Operation.COPY | Operation.NEGATE, [x]):
                found.append(x)
            case (Operation.SINE | Operation.COSINE, _):
                # The point of a sum of angles is the product of the points of its terms.
                angles = _count_angles(program, instruction.operands[0])
                found.append(Quotient({f"{angle}": times for angle, times in angles.items()}, {}))
            case (Operation.ADD | Operation.SUBTRACT, [x, y]):
                found.append(_sum(x, y))
            case (Operation.MULTIPLY, [x, y]):
                found.append(
                    Quotient(
                        _multiply(x.numerator, y.numerator), _multiply(x.denominator, y.denominator)
                    )
                )
            case (Operation.DIVIDE, [x, y]):
                found.append(
                    Quotient(
                        _multiply(x.numerator, y.denominator), _multiply(x.denominator, y.numerator)
                    )
                )
            case _:
                found.append(Quotient({_OTHER: 1}, {}))
    return found


def _count_angles(program: Program, position: int) -> dict[int, int]:
    """Return how often each angle occurs in a sum of angles.

    Args:
        program: the program.
        position: index of the instruction that computes the sum.

    Returns:
        Mapping from the index of an angle's instruction to the number of its occurrences.
    """
    operation, operands, *_ = program.instructions[position]
    match operation:
        case Operation.COPY | Operation.NEGATE:
            return _count_angles(program, operands[0])
        case Operation.ADD | Operation.SUBTRACT:
            total: dict[int, int] = {}
            for operand in operands:
                for angle, times in _count_angles(program, operand).items():
                    total[angle] = total.get(angle, 0) + times
            return total
    return {position: 1}


def _sum(x: Quotient, y: Quotient) -> Quotient:
    """Return bounds of the degrees of the sum of two quotients."""
    if x.denominator == y.denominator == {}:
        return Quotient(_add(x.numerator, y.numerator), {})
    return Quotient(
        _add(
            _multiply(x.numerator, y.denominator),
            _multiply(y.numerator, x.denominator),
        ),
        _multiply(x.denominator, y.denominator),
    )


def bound_probability(program: Program, field: ResidueField) -> tuple[int, float]:
    """Bound the probability that two different values of a program have equal fingerprints.

    Returns:
        The largest degree of a polynomial a d - b c, which decides whether two values a/b and c/d
        are equal, and log10 of the probability bound.
    """
    quotients = bound_degrees(program)
    degree = 2 * max(quotient.degree for quotient in quotients)
    pairs = len(quotients) * (len(quotients) - 1) / 2
    return degree, log10(pairs) + field.points * (log10(degree) - log10(field.prime))


def make_table() -> str:
    """Return the table of `docs/trust.md`, in Markdown.

    A row contains the number of values of a function, the largest degree of a polynomial that
    decides whether two values are equal, and two bounds of the probability of equal fingerprints:
    one for each choice of points and prime.
    """
    lines = [
        "| robot | function | values | degree | 3 points, 2^61 - 465 | 4 points, 2^32 - 17 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for robot in ROBOTS:
        model = build_model(load_robot(robot))
        for function in find_functions(FUNCTIONS, model):
            program = function.build(model)
            cells = [bound_probability(program, field) for field in (FIELD, NARROW_FIELD)]
            (degree, _), _ = cells
            powers = " | ".join(f"10^{power:.0f}" for _, power in cells)
            size = len(program.instructions)
            lines.append(f"| {robot} | `{function.name}` | {size} | {degree} | {powers} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(make_table())
