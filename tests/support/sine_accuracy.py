"""How accurate generated sines and cosines are: angles that are hard, and errors in units in the
last place.
"""

import mpmath
import numpy as np

REACH = 1e5
"""The largest angle, in rad, that is computed in one step."""


def sample(real):
    """Angles of all sizes up to the reach, and those next to multiples of pi/2."""
    generator = np.random.default_rng(1)
    spread = generator.uniform(-REACH, REACH, 3000)
    small = generator.uniform(-4, 4, 3000)
    sizes = np.exp(generator.uniform(-40, np.log(REACH), 3000)) * generator.choice([-1, 1], 3000)
    multiples = (generator.integers(-63661, 63662, 1500) * np.pi / 2).astype(real.dtype)
    beside = [np.nextafter(multiples, real.dtype(direction)) for direction in (-np.inf, np.inf)]
    return np.concatenate([spread, small, sizes, multiples, *beside, [0.0]]).astype(real.dtype)


def units_off(real, computed, function, angles):
    """How far results are from exact ones, in units in the last place."""
    with mpmath.workdps(50):
        exact = [function(mpmath.mpf(float(angle))) for angle in angles]
        errors = [
            abs(mpmath.mpf(float(value)) - each)
            for value, each in zip(computed, exact, strict=True)
        ]
    nearest = np.abs(np.array([float(each) for each in exact]).astype(real.dtype))
    return np.array([float(error) for error in errors]) / np.spacing(nearest)
