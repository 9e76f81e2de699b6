"""The rules by which computed values are compared with expected ones: one for every type of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynagen.real import DOUBLE, FLOAT, Real
from dynagen.verification.kinematics import Array
from dynagen.verification.sampling import States

_FLOOR = 1e-2


@dataclass(frozen=True)
class Rule:
    """Every entry of an output has to satisfy |computed - expected| <= tolerance * S in every state.

    Attributes:
        text: the rule in words, with what S is.
        scale: computes S from the expected values and the sums of the magnitudes of their terms, both (count, *shape of the
            output), and the states; broadcasts against them.
    """

    tolerance: float
    text: str
    scale: Callable[[Array, Array, States], Array]


def _largest_value(expected: Array, magnitudes: Array, states: States) -> Array:
    scale: Array = np.maximum(np.max(np.abs(expected), axis=0), _FLOOR * np.max(np.abs(magnitudes), axis=0))
    return scale


def _terms(expected: Array, magnitudes: Array, states: States) -> Array:
    positions = np.max(np.abs(states.inputs.get("q", np.zeros((states.count, 1)))), axis=1, initial=1.0)
    scale: Array = np.abs(magnitudes) * positions.reshape(-1, *[1] * (magnitudes.ndim - 1))
    return scale


_TEXT = "Every entry of an output has to satisfy |computed - expected| <= {} * S in every state, where S is {}. {}"

_DOUBLE_RULE = Rule(
    1e-12,
    _TEXT.format(
        "1e-12",
        "the largest |expected| of that entry over all states, but at least 1e-2 of the largest sum of the magnitudes of its "
        "terms (so that an entry which is zero by symmetry is not held to the rounding of terms that cancel)",
        "NaN and infinity fail.",
    ),
    _largest_value,
)
# Computing in float, an entry is a sum of terms each of which has gone through some twenty roundings, and errors rarely add up
# (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). Sums of joint angles are rounded too: that
# shifts every term in proportion to the angles. Sixteen units of roundoff are allowed; bundled and random robots need four.
_FLOAT_RULE = Rule(
    8 * FLOAT.epsilon,
    _TEXT.format(
        "2^-20",
        "the sum of the magnitudes of its terms in that state, times the largest |q| if that is more than 1",
        "The expected values are computed in double precision from the same inputs. NaN and infinity fail.",
    ),
    _terms,
)
RULES: dict[Real, Rule] = {DOUBLE: _DOUBLE_RULE, FLOAT: _FLOAT_RULE}
