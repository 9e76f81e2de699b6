"""Package of one robot: the kernels, and all facts that generated files contain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dynagen.codegen.partition import Partition
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import LONGEST
from dynagen.ir.composition import Composition
from dynagen.ir.cost import OperationCount
from dynagen.ir.operation import Operation
from dynagen.ir.program import PREPARE, Argument, Program
from dynagen.numbers.parametric import Parameter
from dynagen.numbers.real import DOUBLE, Real
from dynagen.robot.joints import JointType, count_joints
from dynagen.robot.model.base_parameters import Grouping

LIBM, VECTOR = TRIG = ("libm", "vector")
"""Methods for sines and cosines: one by one from the C library, or several in one step."""
COMPACT = "compact"
"""Method for sines and cosines in C on small processors: short delivered functions in float."""
Rows = tuple[tuple[float, ...], ...]
"""Values of an argument: one row for every state with the elements of the argument, row-major."""


@dataclass(frozen=True)
class Joint:
    """A joint with its name in the user's description.

    Attributes:
        name: name of the joint; if it has none in the description, the name of the moved link.
        type: type of the joint.
        link: name of the link that the joint moves.
    """

    name: str
    type: JointType
    link: str


@dataclass(frozen=True)
class MimicJoint:
    """A mimicking joint, which has no entry in q because its position depends on another joint.

    The position of the joint is `ratio` times the other joint's position plus `offset`.

    Attributes:
        joint: the mimicking joint.
        follows: name of the joint whose position determines the position of this joint.
        ratio: factor of the other joint's position.
        offset: position of this joint (rad or m) if the other joint's position is zero.
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
    """Proof of all kernels: the number of states, and the bound of the errors.

    Attributes:
        states: number of states in the comparison.
        seed: seed of the random states.
        within: largest allowed error, such as 1e-12, as defined by `rule`.
        rule: definition of the error, in words, with the value to which it is relative.
    """

    states: int
    seed: int
    within: float
    rule: str


@dataclass(frozen=True)
class Constants:
    """Origin of the constants of a kernel: formulas in numbers of the description.

    Attributes:
        formulas: pairs of a constant's magnitude, as text, and a short formula that computes it
            from numbers of the description.
        others: number of constants that depend on the description but have no short formula.
    """

    formulas: tuple[tuple[str, str], ...] = ()
    others: int = 0


@dataclass(frozen=True)
class Calls:
    """Calls of which a kernel consists, such as calls of forward dynamics in an integration step.

    Attributes:
        composition: the calls, and the sums that combine their results.
        program: program of the called function; its first output is the result of a call.
    """

    composition: Composition
    program: Program

    @property
    def size(self) -> int:
        """Number of elements of the vector that each call computes.

        The sums that combine these vectors have the same number of elements.
        """
        return self.program.outputs[0].argument.size

    @property
    def factors(self) -> list[str]:
        """Names of the scalars that multiply vectors between calls, such as half of a time step."""
        return [factor.name for factor in self.composition.factors]

    @property
    def vectors(self) -> list[str]:
        """Names of the local vectors: results of calls, and sums that are not outputs."""
        # The sums of the last stage are the outputs, so they need no vector.
        *others, last = self.composition.stages
        return [
            name for stage in others for name in (stage.result, *(term.name for term in stage.sums))
        ] + [last.result]


@dataclass(frozen=True)
class Kernel:
    """One generated function with its program and the facts about it.

    Attributes:
        summary: formula of the function, such as `tau = ID(q, qd, qdd)`.
        program: computation of the function for one state.
        operations: numbers of operations in one call.
        notes: sentences on how the code differs from the textbook formulation.
        request: name with which a user requests the function, such as `mass_matrix+gravity_forces`;
            empty if it cannot be requested.
        references: names of the references (independent computations) of the kernel's proof; empty
            if the proof of other kernels covers this kernel.
        constants: formulas that compute the kernel's constants from the description.
        partition: division of the program among several cores; None for one core.
        calls: calls of another function, if the kernel consists of such calls; None for all other
            kernels. `program` contains the same computation without calls.
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
        """Program whose statements occur in generated code.

        It is the program of the called function if the kernel consists of calls, else `program`.
        """
        return self.program if self.calls is None else self.calls.program

    @property
    def in_one(self) -> Kernel:
        """This kernel without `calls`, so that one function with all statements is printed."""
        return replace(self, calls=None)

    @property
    def function(self) -> str:
        """Name of the kernel's function in the table of functions, such as `inverse_dynamics`."""
        return self.program.name

    def make_routine(self, symbol: str) -> Routine:
        """Return this kernel's program for one state as a function to print, named `symbol`."""
        return Routine(symbol, self.program.signature, self.program)


@dataclass(frozen=True)
class Package:
    """Kernels of one robot, with all facts that generated files state about the kernels.

    Texts are stored as the user wrote them; `naming.make_plain_text` makes them safe for source
    code.

    Attributes:
        robot: name of the robot.
        prefix: prefix of all public names, an identifier.
        source: origin of the robot's numbers, such as a paper.
        gravity: acceleration of gravity in the base frame (m/s^2), as text.
        joints: moving joints, in the order of the entries of q.
        input_name: file name of the description, without folders.
        input_sha256: SHA-256 checksum of the description's file, as hexadecimal digits.
        version: version of dynagen.
        kernels: generated functions; with run-time parameters, `prepare` is the first one.
        proof: error bound and number of states of the proof; None if the kernels were not verified.
        vectors: mapping from the name of an input to its values in every state of the golden test;
            empty without a golden test.
        parameters: run-time parameters in the order of the argument `values` of `prepare`.
        base: the base parameters as combinations of standard parameters; empty if no kernel uses
            base parameters.
        real: type of all numbers in the kernels.
        mimics: joints whose positions depend on other joints.
        choices: mapping from the name of an option to its value, for options that change the
            emitted code and differ from their defaults.
        facts: pairs of a heading and a text with further facts for callers, about options, tool,
            payload and wrench.
        single_file: whether all kernels are in one file, in languages that offer a choice.
        batch: whether every kernel also has a batch kernel.
        threads: whether batch kernels divide the states among threads.
        trig: method for sines and cosines: "libm" (C library), "vector" (several in one step) or
            "compact" (short functions in single precision).
        release: version of the delivered package, for targets with a version.
        native: whether a delivered module is compiled only for this machine's type of processor.
        gpu: whether a delivered module also contains kernels for NVIDIA GPUs.
        longest: number of operations and stores above which a kernel in a compiled language is
            divided into several functions.
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
    release: str = "0.1"
    native: bool = False
    gpu: bool = False
    longest: int = LONGEST

    @property
    def nq(self) -> int:
        """Number of entries of q (joint positions): 7 for a floating base, 1 per revolute joint."""
        return sum(len(joint.type.position_units) for joint in self.joints)

    @property
    def nv(self) -> int:
        """Number of entries of each of qd, qdd and the joint forces; a floating base has 6."""
        return sum(len(joint.type.rotates) for joint in self.joints)

    @property
    def joint_count(self) -> str:
        """Number of joints as text: `6 joints` or `12 joints and a floating base`."""
        return count_joints([joint.type for joint in self.joints])

    @property
    def operations(self) -> set[Operation]:
        """Kinds of operations, such as SINE, that occur in the programs of the kernels."""
        return {
            instruction.operation
            for kernel in self.kernels
            for instruction in kernel.program.instructions
        }

    def has_batch(self, kernel: Kernel) -> bool:
        """Return whether a kernel also has a version for many states; `prepare` never has one."""
        return self.batch and kernel.function != PREPARE

    @property
    def batch_kernels(self) -> tuple[Kernel, ...]:
        """Kernels that also have a version for many states (batch kernel), in kernel order."""
        return tuple(filter(self.has_batch, self.kernels))

    @property
    def example_index(self) -> int:
        """Index in `kernels` of the kernel that examples call: the first that is not `prepare`."""
        # With run-time parameters `prepare` is the first kernel.
        return 1 if self.parameters else 0


@dataclass(frozen=True)
class SourceFile:
    """A file to write: its path in the output folder, with forward slashes, and its text."""

    path: str
    text: str

    @property
    def content(self) -> bytes:
        """Text of the file, encoded in UTF-8."""
        return self.text.encode()


@dataclass(frozen=True)
class BinaryFile:
    """A compiled file to write: its path in the output folder, and its bytes."""

    path: str
    content: bytes


@dataclass(frozen=True)
class GoldenOutput:
    """Expected values of one output in the golden test.

    Attributes:
        argument: the output.
        expected: one row per state with the correct elements of the output, row-major.
        allowed: allowed error of every element: twice the largest error that rounding can
            accumulate in any state.
    """

    argument: Argument
    expected: Rows
    allowed: tuple[float, ...]


@dataclass(frozen=True)
class GoldenKernel:
    """A kernel with its inputs and expected outputs in all states of the golden test.

    Attributes:
        kernel: the kernel.
        inputs: mapping from the name of each input to one row of its elements for every state.
        outputs: outputs with their expected values.
        statuses: correct status code for every state, 0 or 1; empty if the kernel cannot fail.
    """

    kernel: Kernel
    inputs: Mapping[str, Rows]
    outputs: tuple[GoldenOutput, ...]
    statuses: tuple[int, ...] = ()
