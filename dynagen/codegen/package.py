"""Package: everything a language may see of a robot and its kernels; SourceFile: what it makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dynagen.codegen.partition import Partition
from dynagen.codegen.printing import Calls
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import LONGEST
from dynagen.ir.cost import OperationCount
from dynagen.ir.program import PREPARE, Argument, Program
from dynagen.numbers.parametric import Parameter
from dynagen.numbers.real import DOUBLE, Real
from dynagen.robot.joints import JointType
from dynagen.robot.model.base_parameters import Grouping

LIBM, VECTOR = TRIG = ("libm", "vector")
"""How sines and cosines are computed: by the C library one by one, or several in one step."""
Rows = tuple[tuple[float, ...], ...]
"""Values of an argument: for every state its elements, row-major."""


@dataclass(frozen=True)
class Joint:
    """A joint as users know it.

    Attributes:
        name: of the joint, or, where joints have none, of the link that it moves.
        link: that it moves.
    """

    name: str
    type: JointType
    link: str


@dataclass(frozen=True)
class MimicJoint:
    """A joint without an entry of q: its variable is ratio times that of another plus offset.

    Attributes:
        follows: name of the other joint.
    """

    joint: Joint
    follows: str
    ratio: float
    offset: float

    def __str__(self) -> str:
        offset = f" {'-' if self.offset < 0 else '+'} {abs(self.offset):.6g}" if self.offset else ""
        return f"{self.joint.name} = {self.ratio:.6g} {self.follows}{offset}"


@dataclass(frozen=True)
class Proof:
    """The bound that every kernel was held to.

    Attributes:
        states: number of states on which it was compared.
        seed: of the random states.
        within: the bound, by the rule.
        rule: what was compared with the bound, in words.
    """

    states: int
    seed: int
    within: float
    rule: str


@dataclass(frozen=True)
class Constants:
    """The constants of a kernel, and what they are made of.

    Attributes:
        formulas: their magnitudes, as text, and short formulas in numbers of the description.
        others: how many others there are that the description decides.
    """

    formulas: tuple[tuple[str, str], ...] = ()
    others: int = 0


@dataclass(frozen=True)
class Kernel:
    """One generated function.

    Attributes:
        summary: what it computes, as `tau = ID(q, qd, qdd)`.
        operations: of one call.
        notes: how it departs from what a reader may expect, in sentences.
        request: what a user asks for to get it, as `mass_matrix+gravity_forces`; empty if nobody can.
        references: names of what it is proved against; empty if it is proved through the kernels that use it.
        constants: what they are made of.
        partition: how it is divided among several cores, if it is.
        calls: what it is made of, if it may be printed as calls of another program; `program` is all of it in one.
    """

    summary: str
    program: Program
    operations: OperationCount
    request: str = ""
    notes: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    constants: Constants = Constants()
    partition: Partition | None = None
    calls: Calls | None = None

    @property
    def printed(self) -> Program:
        """The program that its code is of: its own, or the one that it calls."""
        return self.program if self.calls is None else self.calls.program

    @property
    def in_one(self) -> Kernel:
        """The kernel without calls, which are repeated in its program."""
        return replace(self, calls=None)

    @property
    def function(self) -> str:
        """Name of the function in dynagen's table, as `inverse_dynamics`."""
        return self.program.name

    def routine(self, symbol: str) -> Routine:
        """The routine that computes one state."""
        return Routine(symbol, self.program.signature, self.program)


@dataclass(frozen=True)
class Package:
    """The kernels that are generated for one robot, with all that files say about them.

    Text is as the user wrote it; `comments.plain_text` makes it safe where it enters source code.

    Attributes:
        robot: its name.
        prefix: what all public names start with: an identifier.
        source: where the robot's numbers come from.
        gravity: acceleration of gravity in the base frame (m/s^2), as text.
        input_name: file name of the description, without folders.
        version: of dynagen.
        proof: None if the kernels were not verified.
        vectors: values of inputs, by name and state, for a test that the target runs; numbers of the type `real`.
            Without any there is no such test.
        parameters: run-time parameters, in the order of the array that carries them.
        base: what base parameters are made of, if a kernel has to do with them.
        real: type of all numbers in the kernels.
        mimics: joints that follow others.
        choices: options of the run that decide what is emitted, by name, where they are not the default.
        facts: what else a caller has to know, under short headings: options, tool, payload, wrench.
        single_file: whether to write all kernels into one file, where the language leaves a choice.
        batch: whether every kernel comes for many states side by side as well.
        trig: how sines and cosines are computed: by the C library one by one (libm), or several in one step (vector).
        threads: whether those divide the states among threads.
        longest: operations and stores of the longest kernel that a compiled language gets in one piece.
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
    vectors: Mapping[str, Rows] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    base: tuple[Grouping, ...] = ()
    real: Real = DOUBLE
    mimics: tuple[MimicJoint, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    facts: tuple[tuple[str, str], ...] = ()
    single_file: bool = False
    batch: bool = False
    threads: bool = False
    trig: str = LIBM
    longest: int = LONGEST

    @property
    def nq(self) -> int:
        """Number of entries of q."""
        return sum(len(joint.type.position_units) for joint in self.joints)

    @property
    def nv(self) -> int:
        """Number of entries of v: rates, accelerations, forces."""
        return sum(len(joint.type.rotates) for joint in self.joints)

    def has_batch(self, kernel: Kernel) -> bool:
        """Whether a kernel comes for many states as well: `prepare` does not, which is called once for all states."""
        return self.batch and kernel.function != PREPARE

    @property
    def batch_kernels(self) -> tuple[Kernel, ...]:
        """The kernels that come for many states as well."""
        return tuple(filter(self.has_batch, self.kernels))

    @property
    def shown(self) -> int:
        """Position of the kernel that examples call: the first but for the one that prepares run-time parameters."""
        return 1 if self.parameters else 0


@dataclass(frozen=True)
class SourceFile:
    """A file to write: path relative to the output folder, with forward slashes, and its text."""

    path: str
    text: str


@dataclass(frozen=True)
class GoldenOutput:
    """The expected values of one output.

    Attributes:
        expected: for every state the elements, row-major.
        allowed: for every element, in all states, twice the error that rounding can add up to.
    """

    argument: Argument
    expected: Rows
    allowed: tuple[float, ...]


@dataclass(frozen=True)
class GoldenKernel:
    """A kernel, its inputs for all states, and its outputs.

    Attributes:
        statuses: 0 or 1 for every state, if the kernel has a status.
    """

    kernel: Kernel
    inputs: Mapping[str, Rows]
    outputs: tuple[GoldenOutput, ...]
    statuses: tuple[int, ...] = ()
