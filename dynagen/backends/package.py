"""Package: everything a back end may see of a robot and its kernels; SourceFile: what it makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from dynagen.ir.count import OperationCount
from dynagen.ir.program import Program
from dynagen.robot.joints import JointType


@dataclass(frozen=True)
class Joint:
    """A joint as users know it: the name of the link that it moves, and its type."""

    name: str
    type: JointType


@dataclass(frozen=True)
class Proof:
    """The bound that every kernel was held to.

    Attributes:
        states: number of states on which it was compared.
        seed: of the random states.
        within: largest error allowed, relative to the largest value of the entry.
        references: names of the references it was compared with.
    """

    states: int
    seed: int
    within: float
    references: tuple[str, ...]


@dataclass(frozen=True)
class Kernel:
    """One generated function.

    Attributes:
        summary: what it computes, as `tau = ID(q, qd, qdd)`.
        operations: of one call.
    """

    summary: str
    program: Program
    operations: OperationCount

    @property
    def function(self) -> str:
        """Name of the function in dynagen's table, as `inverse_dynamics`."""
        return self.program.name


@dataclass(frozen=True)
class Package:
    """What is generated for one robot.

    Text is as the user wrote it; `comments.plain_text` makes it safe where it enters source code.

    Attributes:
        robot: its name.
        prefix: what all public names start with; made by `naming.c_identifier`.
        source: where the robot's numbers come from.
        gravity: acceleration of gravity in the base frame (m/s^2), as text.
        input_name: file name of the description, without folders.
        version: of dynagen.
        proof: None if the kernels were not verified.
        real: type of all numbers in the kernels.
        legend: what the names inside the kernels stand for, as ("w", "angular velocity of a link").
    """

    robot: str
    prefix: str
    source: str
    gravity: str
    joints: tuple[Joint, ...]
    input_name: str
    input_sha256: str
    version: str
    kernels: tuple[Kernel, ...]
    proof: Proof | None = None
    legend: tuple[tuple[str, str], ...] = ()
    real: Literal["double"] = "double"


@dataclass(frozen=True)
class SourceFile:
    """A file to write: path relative to the output folder, with forward slashes, and its text."""

    path: str
    text: str


class Backend(Protocol):
    """A target language.

    Attributes:
        name: as in `--lang`, the manifest and the folder of templates.
        aliases: other spellings of the name.
        layout: how matrices lie in memory.
    """

    name: str
    aliases: tuple[str, ...]
    layout: str

    def symbol(self, package: Package, kernel: Kernel) -> str:
        """Name under which a kernel is called."""

    def kernel_path(self, package: Package, kernel: Kernel) -> str:
        """The file that a kernel is in, relative to the output folder."""

    def render(self, package: Package) -> tuple[SourceFile, ...]:
        """All files, the manifest last; the same package always gives the same bytes."""
