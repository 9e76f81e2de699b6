"""The low-pass that logs go through: Butterworth's of fourth order, forwards and backwards, so that nothing is delayed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dynagen.identification.samples import Array

ORDER = 4
_LONGEST = 2.0  # periods of the cut-off after which a step is over: what still rings is below 0.1 %
_HIGHEST = 12.0  # cut-offs: what passes beyond is below 1e-8


def low_pass(values: Array, cutoff: float, rate: float) -> Array:
    """Filter columns.

    Args:
        values: shape (count, columns), on equal steps.
        cutoff: Hz; there a quarter of the power passes.
        rate: samples a second.
    """
    from scipy.signal import butter, sosfiltfilt

    return np.asarray(sosfiltfilt(butter(ORDER, cutoff, fs=rate, output="sos"), values, axis=0))


@lru_cache(maxsize=1)
def step_response() -> tuple[Array, Array]:
    """What the filter makes of a jump from -1 to 1: times since, in periods of the cut-off, and values.

    Both passes take 1/(1 + f^8) of the amplitude at f cut-offs, and the response is 2/pi of the integral of sin(2 pi f t)/f
    times that over f.
    """
    times = np.linspace(0.0, _LONGEST, 401)
    width = 1 / 400
    frequencies = np.arange(width / 2, _HIGHEST, width)
    passed = 1 / (1 + frequencies ** (2 * ORDER))
    values = 2 / np.pi * np.sum(np.sin(2 * np.pi * np.outer(times, frequencies)) / frequencies * passed, axis=1) * width
    return times, values
