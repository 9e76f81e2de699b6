"""Count what a published algorithm takes for a robot, with the counter that counts generated code."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.conventional.algorithm import Algorithm, JointMotion
from dynagen.conventional.chain import chain_of
from dynagen.conventional.tape import Tape
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.count import OperationCount, count
from dynagen.ir.program import Output, Program
from dynagen.ir.validation import validate
from dynagen.passes.constant_folding import fold_constants
from dynagen.passes.dead_code import remove_dead_code
from dynagen.robot.description import RobotDescription
from dynagen.robot.model import build_model


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
    """The algorithm's program for a robot, q, qd, qdd -> tau, as the text has it.

    Raises:
        UsageError: the algorithm does not cover this robot; says why.
    """
    model = build_model(robot)
    chain = chain_of(robot, algorithm.convention)
    if not algorithm.sliding and any(link.joint.linear for link in chain.links):
        raise UsageError(f"{algorithm.title}: {chain.name} has a prismatic joint, which {algorithm.source} does not cover")
    builder = Builder("inverse_dynamics", joint_motion("q", "qd", "qdd")(model))
    tape = Tape(builder)
    q, qd, qdd = (tuple(tape.element(name, index) for index in range(len(chain.links))) for name in ("q", "qd", "qdd"))
    if algorithm.largest is not None and len(chain.links) > algorithm.largest:
        raise UsageError(f"{algorithm.title}: {chain.name} has {len(chain.links)} joints, more than {algorithm.largest}")
    try:
        forces = tape.array(algorithm.record(tape, chain, JointMotion(q, qd, qdd)))
    except UsageError as error:
        raise UsageError(f"{algorithm.title}: {chain.name}: {error}") from None
    # What a motor takes is no part of any of these texts, but of the robot.
    totals = [
        force + tape.number(link.motor_inertia) * acceleration if link.motor_inertia else force
        for force, link, acceleration in zip(forces, chain.links, qdd, strict=True)
    ]
    (tau,) = joint_forces("tau", "generalised joint forces")(model)
    return validate(builder.finish([Output(tau, tuple(total.position for total in totals))]))
