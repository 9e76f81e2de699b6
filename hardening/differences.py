"""Comparison of results with the results of another tool."""

from __future__ import annotations

import numpy as np


class DifferenceError(Exception):
    """Error: two results differ; the arguments are the kind of failure and a message."""


def find_largest(oracle: str, name: str, pairs: list[list], allowed: float) -> float:
    """Return the largest difference between two tools, relative to the largest expected value.

    Args:
        oracle: name of the tool that dynagen is compared with, such as Pinocchio.
        name: name of the compared function.
        pairs: for each state, the pairs (computed, expected) of all results.
        allowed: largest relative difference without an error.

    Raises:
        DifferenceError: a difference is larger than `allowed`, or shapes differ.
    """
    worst = 0.0
    for same in zip(*pairs, strict=True):
        computed, expected = (np.stack([pair[side] for pair in same]) for side in (0, 1))
        if computed.shape != expected.shape:
            message = f"{name} has shape {computed.shape}, {oracle} has {expected.shape}"
            raise DifferenceError(oracle.lower(), message)
        if not computed.size:
            continue
        scale = max(float(np.abs(expected).max()), 1e-3)
        error = np.abs(computed - expected) / scale
        if not np.all(error <= allowed):
            place = np.unravel_index(int(np.argmax(np.nan_to_num(error, nan=np.inf))), error.shape)
            raise DifferenceError(
                oracle.lower(),
                f"{name} disagrees with {oracle} at {[int(i) for i in place]}: "
                f"{computed[place]!r}, expected {expected[place]!r}",
            )
        worst = max(worst, float(error.max()))
    return worst
