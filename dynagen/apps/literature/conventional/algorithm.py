"""Recording of published algorithms as printed, and counting of their operations for a robot.

The same counter is used for generated code, so that the counts can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from dynagen.apps.literature.conventional.chain import Chain, Convention, chain_of
from dynagen.apps.literature.conventional.tape import Scalar, Tape
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.cost import OperationCount, count
from dynagen.ir.program import Output, Program
from dynagen.ir.validation import validate
from dynagen.optimizer.passes.folding import fold_constants, remove_dead_code
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model


@dataclass(frozen=True)
class JointMotion:
    """Inputs of an algorithm, as values of the recorded program, in the order of the joints.

    Attributes:
        q: joint positions (rad or m).
        qd: joint velocities (rad/s or m/s).
        qdd: joint accelerations (rad/s^2 or m/s^2) of inverse dynamics; empty for forward dynamics.
        tau: joint forces (N m or N) of forward dynamics; empty for inverse dynamics.
    """

    q: tuple[Scalar, ...]
    qd: tuple[Scalar, ...]
    qdd: tuple[Scalar, ...] = ()
    tau: tuple[Scalar, ...] = ()


Record = Callable[[Tape, Chain, JointMotion], Sequence[Scalar]]
"""Function that records an algorithm on a tape and returns one result for each joint.

Joint forces of inverse dynamics exclude motor inertias, which `record_conventional` adds.
Accelerations of forward dynamics include motor inertias.
"""


@dataclass(frozen=True)
class Algorithm:
    """Published algorithm of inverse or forward dynamics.

    Attributes:
        name: identifier of the algorithm.
        title: name in tables.
        source: author and year, with table, section or equations.
        convention: Denavit-Hartenberg convention of the source.
        record: function that records the algorithm for a robot.
        function: dynagen's name of the function that the algorithm computes.
        largest: largest number of joints for which the algorithm is counted; None for no limit.
        sliding: whether the source covers prismatic joints.
        general: True for a recursion, which can be counted for arbitrary parameter values; False
            for a closed form, which is derived for each robot.
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
        """Whether the published algorithm computes joint accelerations from joint forces."""
        return self.function == "forward_dynamics"


@dataclass(frozen=True)
class ConventionalCount:
    """Numbers of operations of one published algorithm for one robot.

    Attributes:
        general: all scalar operations of the recursion, including operations with the robot's zeros
            and ones; None for a closed form.
        customised: operations that remain after the robot's constants, such as zeros and ones, are
            folded and unused values are removed.
    """

    general: OperationCount | None
    customised: OperationCount


def count_conventional(algorithm: Algorithm, robot: RobotDescription) -> ConventionalCount:
    """Count the operations of a published algorithm for a serial robot.

    Raises:
        UsageError: the algorithm does not cover this robot; the message gives the reason.
    """
    program = record_conventional(algorithm, robot)
    general = count(program) if algorithm.general else None
    return ConventionalCount(general, count(remove_dead_code(fold_constants(program))))


def record_conventional(algorithm: Algorithm, robot: RobotDescription) -> Program:
    """Record the operations of a published algorithm for a robot as a program.

    The program computes joint forces tau from q, qd and qdd (inverse dynamics), or joint
    accelerations qdd from q, qd and tau (forward dynamics).

    Raises:
        UsageError: the algorithm does not cover this robot; the message gives the reason.
    """
    model = build_model(robot)
    chain = chain_of(robot, algorithm.convention)
    _require_covered(algorithm, chain)
    forces, accelerations = (
        make_joint_forces("tau", "generalised joint forces")(model),
        make_joint_motion("qdd")(model),
    )
    given, wanted = (forces, accelerations) if algorithm.is_forward else (accelerations, forces)
    builder = Builder(algorithm.function, (*make_joint_motion("q", "qd")(model), *given))
    tape = Tape(builder)
    motion = JointMotion(
        **{
            each.name: tuple(tape.element(each.name, i) for i in range(each.size))
            for each in builder.inputs
        }
    )
    try:
        results = tape.array(algorithm.record(tape, chain, motion))
    except UsageError as error:
        raise UsageError(f"{algorithm.title}: {chain.name}: {error}") from None
    if not algorithm.is_forward:
        # The texts have no motors. A motor adds its inertia times qdd to the joint force.
        for index, link in enumerate(chain.links):
            if link.motor_inertia:
                results[index] = (
                    results[index] + tape.number(link.motor_inertia) * motion.qdd[index]
                )
    return validate(
        builder.finish([Output(wanted[0], tuple(result.position for result in results))])
    )


def _require_covered(algorithm: Algorithm, chain: Chain) -> None:
    if not algorithm.sliding and any(link.joint.linear for link in chain.links):
        raise UsageError(
            f"{algorithm.title}: {chain.name} has a prismatic joint, which {algorithm.source} "
            f"does not cover"
        )
    if algorithm.largest is not None and len(chain.links) > algorithm.largest:
        raise UsageError(
            f"{algorithm.title}: {chain.name} has {len(chain.links)} joints; this algorithm "
            f"covers at most {algorithm.largest}"
        )
