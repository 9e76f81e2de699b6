"""Algorithm: a published way to compute inverse dynamics, recorded as its text has it, so that it can be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from dynagen.literature.conventional.chain import Chain, Convention
from dynagen.literature.conventional.tape import Scalar, Tape


@dataclass(frozen=True)
class JointMotion:
    """Positions and velocities of all joints, and their accelerations or, for forward dynamics, generalised forces tau."""

    q: tuple[Scalar, ...]
    qd: tuple[Scalar, ...]
    qdd: tuple[Scalar, ...] = ()
    tau: tuple[Scalar, ...] = ()


Record = Callable[[Tape, Chain, JointMotion], Sequence[Scalar]]
"""Records an algorithm. What inverse dynamics returns are the generalised joint forces without what motors take."""


@dataclass(frozen=True)
class Algorithm:
    """A published algorithm.

    Attributes:
        name: as an identifier.
        title: for tables.
        source: author, year, table or equations.
        convention: of the link axes that it is written in.
        record: records it.
        function: what it computes.
        largest: number of joints beyond which it is not meant to be used; None: there is no such number.
        sliding: whether the text covers prismatic joints.
        general: whether it is a recursion with operations of its own before a robot is known; otherwise it is written anew for
            every robot.
    """

    name: str
    title: str
    source: str
    convention: Convention
    record: Record
    function: Literal["inverse_dynamics", "forward_dynamics"] = "inverse_dynamics"
    largest: int | None = None
    sliding: bool = True
    general: bool = True

    @property
    def is_forward(self) -> bool:
        """Whether it computes accelerations from joint forces."""
        return self.function == "forward_dynamics"
