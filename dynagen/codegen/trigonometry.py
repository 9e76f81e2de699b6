"""Sines and cosines of several angles in one step: statement order, constants, polynomials.

`move_angles_first` and `divide_into_rounds` reorder statements so that sines, cosines and other
library calls follow each other. `compute_constants` returns the constants for the templates.

An angle is the sum of a number of quarter turns and a remainder of at most pi/4. Sine and cosine of
the remainder are computed by polynomials. For the subtraction of quarter turns from an angle, pi/2
is divided into several parts (Cody and Waite, Software Manual for the Elementary Functions, 1980,
chapter 8). The parts of pi/2, except the last, have 37 bits, so that their products with up to
65536 quarter turns are exact. The minimax polynomials were computed by Remez' exchange algorithm
with 60 digits (`benchmarks/sine_cosine.py`, which also measures the errors of results). Sines and
cosines are computed in double, for the type float too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import pi
from typing import Any

from dynagen.ir.statements import Block, Listing, SineCosine, Statement, find_names_read
from dynagen.numbers.real import DOUBLE, FLOAT, Real

TITLE = "Sines and cosines"
AT_ONCE = 4
"""Largest number of angles that one step of `--trig vector` computes for one state."""


@dataclass(frozen=True)
class Round:
    """Blocks of statements without calls, and the calls of library functions that follow them."""

    blocks: tuple[Block, ...]
    calls: tuple[Statement, ...]


def move_angles_first(listing: Listing) -> Listing:
    """Return the same statements with sines and cosines in a separate first block.

    The first block also contains the statements that compute the angles. The sine and cosine of an
    angle that depends on another sine or cosine are not moved.
    """
    first, rest = _next_round(listing.blocks, lambda statement: isinstance(statement, SineCosine))
    if not first.calls:
        return listing
    before = (statement for block in first.blocks for statement in block.statements)
    return Listing((Block(TITLE, (*before, *first.calls)), *rest), listing.results)


def count_angles(listing: Listing) -> tuple[int, ...]:
    """Return the number of angles, 1 to 4, in each step that computes sines and cosines.

    With `--trig vector`, generated code computes the sines and cosines of up to four angles in one
    step. The numbers are in the order of the steps.
    """
    runs = [
        len(list(statements))
        for block in move_angles_first(listing).blocks
        for is_angle, statements in groupby(
            block.statements, lambda each: isinstance(each, SineCosine)
        )
        if is_angle
    ]
    return tuple(min(AT_ONCE, run - first) for run in runs for first in range(0, run, AT_ONCE))


def divide_into_rounds(listing: Listing, is_call: Callable[[Statement], bool]) -> tuple[Round, ...]:
    """Return all statements in the fewest rounds; each round has statements, then calls.

    Every round except the last consists of calls, and of the statements on which the calls depend.
    The last round has no calls and contains all remaining statements.

    For example, `a = q0; s = sin(a); b = s*q1; t = sin(b); r = s + t` becomes three rounds: `a =
    q0` with the call `s = sin(a)`, `b = s*q1` with the call `t = sin(b)`, and `r = s + t`.

    Args:
        listing: statements of a kernel.
        is_call: function that returns whether a statement calls a library function.
    """
    found, rest = [], listing.blocks
    while (following := _next_round(rest, is_call))[0].calls:
        found.append(following[0])
        rest = following[1]
    return (*found, Round(rest, ()))


def _next_round(
    blocks: tuple[Block, ...], is_call: Callable[[Statement], bool]
) -> tuple[Round, tuple[Block, ...]]:
    """Return the next round of a kernel, and the blocks of the statements that remain after it.

    The round consists of all calls that depend on no other call in `blocks`, and of the statements
    on which these calls depend. `is_call` returns whether a statement calls a library function.
    """
    early: dict[str, Statement] = {}
    later: set[str] = set()  # names of values that depend on a call
    calls: list[Statement] = []
    for statement in (statement for block in blocks for statement in block.statements):
        # Depends on a call of this round, so it belongs to a later one.
        if not later.isdisjoint(find_names_read(statement)):
            later.update(statement.assigned)
        elif is_call(statement):
            calls.append(statement)
            later.update(statement.assigned)
        else:
            early.update(dict.fromkeys(statement.assigned, statement))
    needed = {id(statement) for statement in _find_needed(calls, early)}
    # Statements that no call of this round needs wait, to keep live ranges short.
    gone = needed.union(map(id, calls))
    before = _filter_blocks(blocks, lambda statement: id(statement) in needed)
    return Round(before, tuple(calls)), _filter_blocks(
        blocks, lambda statement: id(statement) not in gone
    )


def _filter_blocks(blocks: Iterable[Block], keep: Callable[[Statement], bool]) -> tuple[Block, ...]:
    """Return blocks with the statements that pass a test; empty blocks are dropped."""
    kept = (replace(block, statements=tuple(filter(keep, block.statements))) for block in blocks)
    return tuple(block for block in kept if block.statements)


def _find_needed(calls: Iterable[Statement], early: Mapping[str, Statement]) -> Iterable[Statement]:
    """Return the statements in `early` on which calls depend, directly or through others.

    `early` maps the name of a value to the statement that assigns it.
    """
    needed: dict[str, Statement] = {}
    pending = [name for call in calls for name in find_names_read(call)]
    while pending:
        name = pending.pop()
        if name in early and name not in needed:
            needed[name] = early[name]
            pending.extend(find_names_read(early[name]))
    return needed.values()


REACH = "1e5"
"""Largest angle (rad) for the polynomials; sines of larger angles need library functions."""
_HALF_PI = (
    1.5707963267923333,
    2.5633441515839558e-12,
    1.0562999066987428e-23,
)  # in parts of 37, 37 and 53 bits
# (sin(r)/r - 1)/r^2 and (cos(r) - 1 + r^2/2)/r^4 as polynomials in r^2. The errors of sine and
# cosine are below 2^-58 and 2^-64 for double, 2^-28 and 2^-33 for float.
_SINE = {
    DOUBLE: (
        -0.16666666666666632,
        0.008333333333322285,
        -0.00019841269829700035,
        2.7557313652968426e-06,
        -2.5050751789654794e-08,
        1.5896416654446168e-10,
    ),
    FLOAT: (-0.1666665485422974, 0.008332172283108145, -0.00019516479962244275),
}
_COSINE = {
    DOUBLE: (
        0.0416666666666666,
        -0.001388888888887395,
        2.4801587289368323e-05,
        -2.7557314318021705e-07,
        2.0875718429002077e-09,
        -1.1359388193237743e-11,
    ),
    FLOAT: (0.04166664671528424, -0.0013887359791392346, 2.4437533006453342e-05),
}


def compute_constants(real: Real, suffix: str = "") -> dict[str, Any]:
    """Return the constants, by name, for templates of sine and cosine by polynomials in double.

    Args:
        real: number type of the angles. For double, the polynomials have more terms, and generated
            code stores the remainder of an angle as two numbers.
        suffix: suffix of a double literal in the language.
    """
    accurate = real is DOUBLE
    first, second, third = _HALF_PI
    # For float two parts suffice: the rounding error of results is far larger than the third.
    half_pi = _HALF_PI if accurate else (first, second + third)
    return {
        "accurate": accurate,
        "reach": REACH,
        "two_over_pi": f"{2 / pi!r}{suffix}",
        "half_pi": [f"{part!r}{suffix}" for part in half_pi],
        "sine": _polynomial(_SINE[real], suffix),
        "cosine": _polynomial(_COSINE[real], suffix),
    }


COMPACT_REACH = "1.2e4"
"""Largest angle of `--trig compact`, in rad.

For larger angles, the products of the number of quarter turns with parts of pi/2 would be rounded.
"""
COMPACT_ERROR = "8e-8"
"""Largest error of a sine or cosine of `--trig compact` (float epsilon is 1.2e-7)."""
# In parts of 8, 11 and 24 bits, so that products with 8191 quarters are exact in single precision.
_HALF_PI_COMPACT = ("1.5703125", "4.83751297e-4", "7.5497901e-8")


def compute_compact_constants() -> dict[str, Any]:
    """Return the constants, by name, for the C template of `--trig compact` (sines in float)."""
    return {
        "reach": COMPACT_REACH,
        "error": COMPACT_ERROR,
        "two_over_pi": "0.63661977f",
        "half_pi": [f"{part}f" for part in _HALF_PI_COMPACT],
        "sine": _polynomial(_SINE[FLOAT], "f"),
        "cosine": _polynomial(_COSINE[FLOAT], "f"),
    }


# In three numbers of the type: a fused multiply-add rounds only its result.
_HALF_PI_FUSED = {
    DOUBLE: ("1.5707963267948966", "6.123233995736766e-17", "-1.4973849048591833e-33"),
    FLOAT: ("1.57079637", "-4.37113883e-8", "-1.71512489e-15"),
}
FUSED_REACH = {DOUBLE: "1e9", FLOAT: "1e6"}
"""Largest angle in rad, by number type, of sines and cosines by fused multiply-adds.

For larger angles, the remainder after the subtraction of quarter turns may exceed the range of the
polynomials.
"""
_TO_INTEGER = {DOUBLE: "6755399441055744.0", FLOAT: "12582912.0"}  # 1.5*2^52 and 1.5*2^23


def compute_fused_constants(real: Real, suffix: str) -> dict[str, Any]:
    """Return the constants, by name, for sine and cosine by fused multiply-adds in one number type.

    The remainder of an angle is computed by subtracting multiples of pi/2, which is stored as a sum
    of several parts. A fused multiply-add does not round the product before the subtraction. Each
    part of pi/2 may therefore have all bits of the number type.

    Args:
        real: number type of angles and results.
        suffix: suffix of a literal of this number type.
    """
    # Names with a number are those of values of the program.
    sine, cosine = (
        _polynomial(each[real], suffix).replace("z2", "zz").replace("z4", "zzzz")
        for each in (_SINE, _COSINE)
    )
    return {
        "reach": f"{FUSED_REACH[real]}{suffix}",
        "shift": f"{_TO_INTEGER[real]}{suffix}",
        "two_over_pi": f"{2 / pi!r}{suffix}",
        "half_pi": [f"{part}{suffix}" for part in _HALF_PI_FUSED[real]],
        "sine": sine,
        "cosine": cosine,
        "accurate": real is DOUBLE,
    }


def _polynomial(coefficients: Sequence[float], suffix: str) -> str:
    """Return the text of a polynomial in the variable z by Estrin's scheme (1960).

    The text contains the variables z2 = z^2 and z4 = z^4. The chain of dependent operations is half
    as long as in Horner's scheme. `coefficients` begin with the constant term; `suffix` ends each
    literal.
    """
    # (c0 + c1 z) + z2 (c2 + c3 z) + z4 (c4 + c5 z)
    pairs = [coefficients[place : place + 2] for place in range(0, len(coefficients), 2)]
    terms = []
    for power, (constant, *linear) in zip(("", "z2*", "z4*"), pairs, strict=False):
        rest = "".join(f" {'-' if each < 0 else '+'} {abs(each)!r}{suffix}*z" for each in linear)
        term = f"{constant!r}{suffix}{rest}"
        terms.append(f"{power}({term})" if linear or constant < 0 else f"{power}{term}")
    return " + ".join(terms)
