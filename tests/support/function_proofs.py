"""Prove recorded programs of functions against the references, without a compiler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynagen.dynamics.candidate import BodyChoice, Candidate, make_described_candidate
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import PARAMS, Program
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.inverse_states import SOURCE, compute_inputs
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import build_model
from dynagen.verification.comparison import Expectation, Kernel, VerificationReport, check_kernel
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states

STATES = 100
BY_PARAMETERS = (
    *(
        f"{function}_parameter_{product}"
        for function in ("inverse_dynamics", "forward_dynamics")
        for product in ("jacobian", "vjp", "jvp")
    ),
    "step_euler_parameter_jacobian",
)
"""Functions that exist only with run-time parameters; `test_parameter_products` proves them."""
OF_HELD_FRAMES = ("constrained_forward_dynamics", "contact_forces", "impact")
"""Functions that exist only if joints move the frame in all directions;
`test_constrained_dynamics` proves them."""
FUNCTIONS_OF_ANY_ARM = tuple(
    function
    for function in FUNCTIONS
    if function.name
    not in (
        "elastic_forward_dynamics",
        "inverse_kinematics",
        "motor_forward_dynamics",
        "motor_inverse_dynamics",
        "operational_inertia",
        *OF_HELD_FRAMES,
        *BY_PARAMETERS,
    )
)
"""Every other function except those that exist only for certain joints of the frame."""
REFUSE_WRENCHES = (
    "inverse_dynamics_jacobian",
    "forward_dynamics_jacobian",
    "step_euler_jacobian",
    "step_euler_vjp",
    "step_euler_hessian",
)
"""Functions whose derivatives by all inputs do not include external wrenches."""


def kernel(program: Program) -> Kernel:
    """A program as a kernel: arrays (count, n) in, arrays (count, *shape) out."""

    def call(*arrays: Array) -> tuple[Array, ...]:
        inputs = {
            argument.name: array.reshape(len(array), -1).T
            for argument, array in zip(program.inputs, arrays, strict=True)
        }
        count = arrays[0].shape[0]
        values = evaluate(program, inputs)
        return tuple(
            np.stack(
                [np.broadcast_to(value, count) for value in values[output.argument.name]],
                axis=-1,
            ).reshape(count, *output.argument.shape)
            for output in program.outputs
        )

    return call


def proofs(
    description: RobotDescription, function: DynamicsFunction, program: Program
) -> VerificationReport:
    """A function's program against both references, by the rule that kernels are held to."""
    sizes = {argument.name: argument.size for argument in program.inputs}
    inputs = tuple(sizes)
    outputs = tuple(output.argument.name for output in program.results)
    expected_results = function.expected_results
    call = kernel(program)
    references, inverse = make_references(description), expected_results.inverse
    expectation = Expectation(
        function.name,
        inputs,
        outputs,
        expected_results.outputs,
        expected_results.magnitudes,
        expected_results.defined,
        source=SOURCE if inverse else "",
        measure=inverse.measure if inverse else None,
    )
    states = sample_states(description, expectation.arguments, STATES, sizes=sizes)
    if inverse:
        computed = compute_inputs(inverse, inputs, references[0], states[SOURCE])
        states = replace(states, inputs={**states.inputs, **computed})
    proof = check_kernel(
        lambda *state: call(*state)[: len(outputs)], expectation, references, states
    )
    return VerificationReport(description.name, (proof,))


def proofs_without_loads(
    description: RobotDescription,
    function: DynamicsFunction,
    program: Program,
    params: Array | None = None,
) -> VerificationReport:
    """A loaded robot's program with loads of zero, against both references of the robot without
    them.

    Args:
        description: the robot without loads.
        function: what the program computes.
        program: for the robot with them.
        params: what its `prepare` makes of a payload of zero.
    """
    free = [argument.name for argument in program.inputs if argument.name not in ("wrench", PARAMS)]
    outputs = [output.argument.name for output in program.results]

    def call(*arrays: Array) -> tuple[Array, ...]:
        count = len(arrays[0])
        none = {
            "wrench": np.zeros((count, 6)),
            PARAMS: np.broadcast_to(params, (count, np.size(params))),
        }
        known = {**none, **dict(zip(free, arrays, strict=True))}
        return kernel(program)(*(known[argument.name] for argument in program.inputs))[
            : len(outputs)
        ]

    expected_results = function.expected_results
    expectation = Expectation(
        function.name,
        tuple(free),
        tuple(outputs),
        expected_results.outputs,
        expected_results.magnitudes,
        expected_results.defined,
    )
    proof = check_kernel(
        call,
        expectation,
        make_references(description),
        sample_states(description, tuple(free), STATES),
    )
    return VerificationReport(description.name, (proof,))


def optimised(
    function: DynamicsFunction,
    description: RobotDescription,
    candidate: Candidate | None = None,
    method: str | None = None,
) -> Program:
    """A function's program for a robot, after the passes."""
    model = build_model(description)
    return run_passes(
        function.build_for(candidate, method) if candidate else function.build(model, method)
    )[0]


def heavier(description: RobotDescription) -> RobotDescription:
    """The robot with a last link a billionth too heavy, which a proof has to notice."""
    *links, last = description.links
    inertial = replace(last.inertial, mass=last.inertial.mass * Exact("1.000000001"))
    return replace(description, links=(*links, replace(last, inertial=inertial)))


def zero_entries(program: Program) -> set[tuple[int, int]]:
    """Rows and columns of a program's only output, a matrix, where it is zero in every state."""
    (output,) = program.outputs
    _, columns = output.argument.shape
    return {
        divmod(position, columns)
        for position, value in enumerate(output.values)
        if program.instructions[value].payload == ZERO
    }


def random_candidate(description: RobotDescription, seed: int) -> Candidate:
    """Some bodies in axes that rotate, some reached in one step, some moments from second moments,
    some joints in a cluster with the parent's; 0 is as described.
    """
    generator = np.random.default_rng(seed)
    model = build_model(description)
    if seed == 0:
        return make_described_candidate(model)
    return Candidate(
        model, tuple(BodyChoice(None, *(generator.random(4) < 0.5).tolist()) for _ in model.bodies)
    )


def parameters(description: RobotDescription) -> Array:
    """The standard parameters of a robot: the user's numbers, in the user's frames."""
    numbers = []
    for link in description.links:
        inertial = InertialParameters.convert(link.inertial)
        numbers += [inertial.mass, *inertial.first_moment, *inertial.inertia]
        numbers += [link.motor_inertia] if link.joint.moves else []
    return np.array([float(number) for number in numbers])
