"""Residues by the thousand: reciprocals, and keys that are the same for all multiples of a value with a number added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.residues import NARROW_FIELD
from dynagen.network.node_values import PRIME, Residues


def affine_keys(residues: Residues) -> NDArray[np.uint64]:
    """One number for residues at four points, the same for all multiples, with whatever number is added to them."""
    residues = residues % PRIME
    first = residues[:, :1]
    differences = (residues[:, 1:] + (PRIME - first)) % PRIME
    scale = reciprocals(differences[:, 0])
    keys: NDArray[np.uint64] = (differences[:, 1] * scale % PRIME << np.uint64(32)) | (differences[:, 2] * scale % PRIME)
    return keys


def reciprocals(residues: Residues) -> Residues:
    """One over residues, and zero of zero.

    With one reciprocal for all: each is the product of all others, times that of all (P. Montgomery, 1987), in a tree.
    """
    if residues.size <= 1:
        return np.array([pow(int(each), -1, NARROW_FIELD.prime) if each else 0 for each in residues.flat], np.uint64).reshape(
            residues.shape
        )
    flat = np.where(residues == 0, np.uint64(1), residues).ravel()
    half = (len(flat) + 1) // 2
    left, right = flat[:half], np.append(flat[half:], np.ones(2 * half - len(flat), np.uint64))
    both = reciprocals(left * right % PRIME)
    result = np.concatenate([both * right % PRIME, both * left % PRIME])[: len(flat)]
    return np.where(residues == 0, np.uint64(0), result.reshape(residues.shape))
