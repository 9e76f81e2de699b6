"""Algorithm: a published way to compute the dynamics, recorded as printed and counted on a robot.

Algorithm: a published way to compute inverse dynamics, recorded as its text has it, so that it can
    be counted.

Count what a published algorithm takes for a robot, with the counter that counts generated code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from dynagen.apps.literature.conventional.chain import Chain, Convention, chain_of
from dynagen.apps.literature.conventional.tape import Scalar, Tape
from dynagen.dynamics.arguments import joint_forces, joint_motion
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
    """Positions and velocities of all joints, and accelerations or joint forces.

    Forward dynamics takes joint forces tau, inverse dynamics takes accelerations.
    """

    q: tuple[Scalar, ...]
    qd: tuple[Scalar, ...]
    qdd: tuple[Scalar, ...] = ()
    tau: tuple[Scalar, ...] = ()


Record = Callable[[Tape, Chain, JointMotion], Sequence[Scalar]]
"""Function that records an algorithm on a tape.

Inverse dynamics returns the joint forces without those that accelerate the motors.
"""


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
        largest: number of joints beyond which it is not meant to be used; None: there is no such
            number.
        sliding: whether the text covers prismatic joints.
        general: whether it is a recursion with operations of its own before a robot is known;
            otherwise it is written anew for every robot.
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


@dataclass(frozen=True)
class ConventionalCount:
    """Operations of one algorithm for one robot.

    Attributes:
        general: every scalar operation of the recursion, zeros and ones of the robot included; None
            where the algorithm is written anew for every robot.
        customised: what is left when operations on zeros, ones and constants, and what no joint
            force needs, are left out.
    """

    general: OperationCount | None
    customised: OperationCount


def count_conventional(algorithm: Algorithm, robot: RobotDescription) -> ConventionalCount:
    """Count an algorithm for a serial robot.

    Raises:
        UsageError: the algorithm does not cover this robot; says why.
    """
    program = record_conventional(algorithm, robot)
    general = count(program) if algorithm.general else None
    return ConventionalCount(general, count(remove_dead_code(fold_constants(program))))


def record_conventional(algorithm: Algorithm, robot: RobotDescription) -> Program:
    """Record the algorithm for a robot, as its text writes it.

    The program maps q, qd, qdd to tau, or q, qd, tau to qdd.

    Raises:
        UsageError: the algorithm does not cover this robot; says why.
    """
    model = build_model(robot)
    chain = chain_of(robot, algorithm.convention)
    _require_covered(algorithm, chain)
    forces, accelerations = (
        joint_forces("tau", "generalised joint forces")(model),
        joint_motion("qdd")(model),
    )
    given, wanted = (forces, accelerations) if algorithm.is_forward else (accelerations, forces)
    builder = Builder(algorithm.function, (*joint_motion("q", "qd")(model), *given))
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
        # What a motor takes is no part of any of these texts, but of the robot.
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
            f"{algorithm.title}: {chain.name} has {len(chain.links)} joints, more than "
            f"{algorithm.largest}"
        )
