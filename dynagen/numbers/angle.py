"""Angles with exact cosines and sines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dynagen.numbers.exact import Exact, near_multiple_of_pi


@dataclass(frozen=True)
class Angle:
    """An angle with its cosine and sine, which always satisfy cos^2 + sin^2 = 1 exactly.

    Multiples of 15 degrees have their true cosine and sine. Any other angle gets those of a point with rational coordinates on
    the unit circle that is within 1e-25 rad of it, so that rotations are exactly orthogonal.
    """

    radians: Exact

    @classmethod
    def from_cosine_sine(cls, cosine: Exact, sine: Exact) -> Angle:
        """The angle of the direction (cosine, sine), which need not have length one.

        Cosine and sine of one angle that depends on run-time parameters give that angle.
        """
        return cls(sine.arc_of(cosine))

    @cached_property
    def _cosine_sine(self) -> tuple[Exact, Exact]:
        return self.radians.cosine_sine()

    @property
    def cos(self) -> Exact:
        """Cosine."""
        return self._cosine_sine[0]

    @property
    def sin(self) -> Exact:
        """Sine."""
        return self._cosine_sine[1]

    @property
    def quarter_turns(self) -> int | None:
        """K in 0..3 if the angle is k quarter turns, else None."""
        quarters = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}
        return next((k for (cosine, sine), k in quarters.items() if self.cos == cosine and self.sin == sine), None)

    def __bool__(self) -> bool:
        return bool(self.radians)

    def __neg__(self) -> Angle:
        return Angle(-self.radians)

    def __add__(self, other: Angle) -> Angle:
        return Angle(near_multiple_of_pi(self.radians + other.radians))
