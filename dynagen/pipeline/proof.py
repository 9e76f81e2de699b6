"""Compiled kernels and the description of their robot -> proofs against the references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynagen.codegen.documentation import unusable
from dynagen.codegen.language import load_kernels
from dynagen.codegen.routine import batch_name, cores_name
from dynagen.codegen.targets.manifest import Delivery
from dynagen.dynamics.function import DynamicsFunction, Oracle
from dynagen.dynamics.requests import find_functions
from dynagen.errors import StaleOutputError, UsageError
from dynagen.ir.program import PARAMS, PREPARE, VALUES, Signature
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.model import build_model
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import (
    RULES,
    Expectation,
    KernelProof,
    VerificationReport,
    check_kernel,
    join_proofs,
)
from dynagen.verification.kinematics import Array
from dynagen.verification.reference import Reference, reference_names, references
from dynagen.verification.sampling import States, sample_parameters, sample_states


def prove_kernels(
    description: RobotDescription,
    functions: Sequence[DynamicsFunction],
    kernels: Mapping[str, CompiledKernel],
    real: Real,
    count: int,
    seed: int,
) -> tuple[KernelProof, ...]:
    """Compare every kernel with every reference on the same states.

    With run-time parameters the states are divided among several sets of their values, the defaults first.

    Args:
        description: the robot.
        functions: what the kernels compute.
        kernels: by name of their function, and `prepare` if there are run-time parameters; the others take what that makes
            of their values, or the values. Those over lanes have `_batch` behind their names, and those on several cores
            `_cores`; they are proved like all others.
        real: type of the kernels' numbers; states are rounded to it, so that the references see what the kernels see.
        count: number of states.
        seed: of the random states.

    Raises:
        VerificationError: a kernel and a reference disagree.
    """
    cases = []
    for values in sample_parameters(description.parameters, seed):
        rounded = {name: float(real.dtype(value)) for name, value in values.items()}
        given = _prepared(kernels[PREPARE], rounded) if rounded else {}
        exact = {name: Exact(value) for name, value in rounded.items()}
        cases.append((given, references(substitute(description, exact))))
    proofs = []
    for function in functions:
        for name in (function.name, batch_name(function.name), cores_name(function.name)):
            if name in kernels:
                kernel = kernels[name]
                expectation = _expectation(name, function.oracle, kernel.signature)
                states = _rounded(sample_states(description, expectation.inputs, count, seed), real)
                parts = [
                    check_kernel(
                        _with_parameters(kernel, given), expectation, independent, part, RULES[real]
                    )
                    for (given, independent), part in zip(
                        cases, states.divide(len(cases)), strict=True
                    )
                ]
                proofs.append(join_proofs(parts).against(reference_names(function.oracle.subjects)))
    VerificationReport(description.name, tuple(proofs)).require()
    return tuple(proofs)


def verify_delivery(
    delivery: Delivery, description: RobotDescription, count: int, seed: int
) -> tuple[KernelProof, ...]:
    """Compile the kernels of a delivered folder as they lie on disk, and prove them.

    Args:
        delivery: the folder.
        description: the robot that it was generated from.
        count: number of states.
        seed: of the random states.

    Raises:
        UsageError: the folder is damaged, or has functions that this version does not know.
        StaleOutputError: the description is not the one that the folder was generated from.
        ToolchainError: no compiler, or it refuses the code.
        VerificationError: the compiled code and a reference disagree.
    """
    if description.sha256 != delivery.input_sha256:
        raise StaleOutputError(
            f"{description.path} is not what {delivery.folder} was generated from: its SHA-256 is {description.sha256}, "
            f"the manifest says {delivery.input_sha256}. Generate again, or name the description of that time"
        )
    try:
        functions = find_functions(
            [kernel.request for kernel in delivery.kernels if kernel.request],
            build_model(description),
        )
    except UsageError as error:
        raise UsageError(
            f"{delivery.folder} has functions that this version of dynagen does not know: {error}"
        ) from error
    if {function.name for function in functions} != {
        kernel.signature.name for kernel in delivery.kernels
    } - {PREPARE}:
        raise UsageError(
            f"{delivery.folder} has kernels that are not what was asked for; generate the folder again"
        )
    routines = [routine for kernel in delivery.kernels for routine in kernel.routines()]
    kernels = load_kernels(delivery.language, delivery.compiled_files(), routines, delivery.real)
    return prove_kernels(description, functions, kernels, delivery.real, count, seed)


def _rounded(states: States, real: Real) -> States:
    return replace(
        states,
        inputs={
            name: values.astype(real.dtype).astype(np.float64)
            for name, values in states.inputs.items()
        },
    )


def _prepared(prepare: CompiledKernel, named: Mapping[str, float]) -> dict[str, Array]:
    """The inputs that kernels take for values of the run-time parameters, by name.

    Raises:
        UsageError: `prepare` says that they cannot be used.
    """
    values = np.array(list(named.values()))
    params, status = prepare(values)
    if status != 0:
        raise unusable(named)
    return {PARAMS: params, VALUES: values}


def _with_parameters(
    kernel: CompiledKernel, given: Mapping[str, Array]
) -> Callable[..., tuple[Array, ...]]:
    """A kernel as a function of the state alone."""
    also = [given[argument.name] for argument in kernel.signature.inputs if argument.name in given]
    return lambda *state: kernel(*state, *also)


def _expectation(name: str, oracle: Oracle, signature: Signature) -> Expectation:
    """The expectation of a kernel; run-time parameters have been given to it, and are no inputs."""
    oracle = _with_status(oracle) if signature.can_fail else oracle
    return Expectation(
        function=name,
        inputs=tuple(
            argument.name for argument in signature.inputs if argument.name not in (PARAMS, VALUES)
        ),
        outputs=tuple(output.name for output in signature.outputs),
        identity=oracle.expected,
        magnitudes=oracle.magnitudes,
        defined=oracle.defined,
    )


def _with_status(oracle: Oracle) -> Oracle:
    """The oracle of a function that can fail, with the status as one output more: 0 where it is solvable."""

    def expected(reference: Reference, *state: Array) -> tuple[Array, ...]:
        solvable = oracle.solvable is None or oracle.solvable(reference, *state)
        return (
            *oracle.expected(reference, *state),
            np.where(solvable, np.zeros(len(state[0])), 1.0),
        )

    def magnitudes(reference: Reference, *state: Array) -> tuple[Array, ...]:
        return (*oracle.scales(reference, *state), np.ones(len(state[0])))

    return replace(oracle, expected=expected, magnitudes=magnitudes)
