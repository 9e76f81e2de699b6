"""Count what a published algorithm takes for a robot, with the counter that counts generated code."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.description.description import RobotDescription
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.count import OperationCount, count
from dynagen.ir.program import Output, Program
from dynagen.ir.validation import validate
from dynagen.literature.conventional.algorithm import Algorithm, JointMotion
from dynagen.literature.conventional.chain import Chain, chain_of
from dynagen.literature.conventional.tape import Tape
from dynagen.model.model import build_model
from dynagen.passes.constant_folding import fold_constants
from dynagen.passes.dead_code import remove_dead_code


@dataclass(frozen=True)
class ConventionalCount:
    """Operations of one algorithm for one robot.

    Attributes:
        general: every scalar operation of the recursion, zeros and ones of the robot included; None where the algorithm is
            written anew for every robot.
        customised: what is left when operations on zeros, ones and constants, and what no joint force needs, are left out.
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
    """The algorithm's program for a robot, as the text has it: q, qd, qdd -> tau, or q, qd, tau -> qdd.

    Raises:
        UsageError: the algorithm does not cover this robot; says why.
    """
    model = build_model(robot)
    chain = chain_of(robot, algorithm.convention)
    _require_covered(algorithm, chain)
    forces, accelerations = joint_forces("tau", "generalised joint forces")(model), joint_motion("qdd")(model)
    given, wanted = (forces, accelerations) if algorithm.is_forward else (accelerations, forces)
    builder = Builder(algorithm.function, (*joint_motion("q", "qd")(model), *given))
    tape = Tape(builder)
    motion = JointMotion(**{each.name: tuple(tape.element(each.name, i) for i in range(each.size)) for each in builder.inputs})
    try:
        results = tape.array(algorithm.record(tape, chain, motion))
    except UsageError as error:
        raise UsageError(f"{algorithm.title}: {chain.name}: {error}") from None
    if not algorithm.is_forward:
        # What a motor takes is no part of any of these texts, but of the robot.
        for index, link in enumerate(chain.links):
            if link.motor_inertia:
                results[index] = results[index] + tape.number(link.motor_inertia) * motion.qdd[index]
    return validate(builder.finish([Output(wanted[0], tuple(result.position for result in results))]))


def _require_covered(algorithm: Algorithm, chain: Chain) -> None:
    if not algorithm.sliding and any(link.joint.linear for link in chain.links):
        raise UsageError(f"{algorithm.title}: {chain.name} has a prismatic joint, which {algorithm.source} does not cover")
    if algorithm.largest is not None and len(chain.links) > algorithm.largest:
        raise UsageError(f"{algorithm.title}: {chain.name} has {len(chain.links)} joints, more than {algorithm.largest}")
