"""Functions of arrays that compute each result once: the identities of different functions ask for the same states."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from dynagen.verification.kinematics import Array


def remembered(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of arrays that keeps what it has returned; results are equal to the last bit, and the caller's own."""
    known: dict[Hashable, Array] = {}

    def recall(*arrays: Array) -> Array:
        key = tuple((array.shape, array.dtype.str, array.tobytes()) for array in arrays)
        if key not in known:
            known[key] = function(*arrays)
        return known[key].copy()

    return recall
