"""Proof of compiled kernels, after generation or from a folder, against the numeric references.

The references compute the expected values only from the description (`dynagen.verification`). The
references share no code with the generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dynagen.codegen.documentation import make_unusable_values_error
from dynagen.codegen.language import load_kernels
from dynagen.codegen.routine import name_batch_kernel, name_cores_kernel
from dynagen.codegen.targets.manifest import DeliveredFolder
from dynagen.dynamics.function import DynamicsFunction, ExpectedResults
from dynagen.dynamics.requests import find_functions
from dynagen.errors import StaleOutputError, UsageError
from dynagen.ir.program import PARAMS, PREPARE, VALUES, Signature
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real
from dynagen.pipeline.inverse_states import SOURCE, compute_inputs
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.model import build_model
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import (
    BOUNDS,
    Expectation,
    ExpectedValues,
    KernelProof,
    VerificationReport,
    compare_kernel,
    compute_expected_values,
    join_proofs,
)
from dynagen.verification.reference import (
    Reference,
    add_variations,
    list_reference_names,
    make_references,
)
from dynagen.verification.sampling import States, sample_parameters, sample_states

if TYPE_CHECKING:
    from dynagen.toolchain.gpu import GpuToolchain

_Key = tuple[str, ...]
KnownValues = Mapping[_Key, Sequence[ExpectedValues]]
"""Mapping from a function to its expected values, one entry for each set of parameter values.

The function is identified by its name and the names of its inputs and outputs.
"""


@dataclass(frozen=True)
class _Case:
    """Values of the run-time parameters, and numeric references (`Reference`) with these values."""

    values: dict[str, float]
    references: tuple[Reference, ...]


@dataclass(frozen=True)
class Conditions:
    """Robot, states, parameter values and numeric references for the proofs of all kernels.

    Attributes:
        description: the robot.
        real: floating-point type to which states and parameter values are rounded.
        count: number of states.
        seed: seed of the random states.
        cases: sets of values of the run-time parameters, each with its numeric references.
    """

    description: RobotDescription
    real: Real
    count: int
    seed: int
    cases: tuple[_Case, ...]


def make_conditions(
    description: RobotDescription,
    real: Real,
    count: int,
    seed: int,
    parameter_sets: Sequence[Mapping[str, float]] = (),
) -> Conditions:
    """Return the conditions of a proof: states, parameter values and numeric references.

    Args:
        description: the robot.
        real: floating-point type to which states and parameter values are rounded.
        count: number of states.
        seed: seed of the random states and parameter values.
        parameter_sets: values of the run-time parameters; empty to sample values.
    """
    cases = []
    for values in parameter_sets or sample_parameters(description.parameters, seed):
        rounded = {name: float(real.dtype(value)) for name, value in values.items()}
        exact = {name: Exact(value) for name, value in rounded.items()}
        references = make_references(substitute(description, exact))
        cases.append(_Case(rounded, add_variations(references, description, exact)))
    return Conditions(description, real, count, seed, tuple(cases))


def compute_known_values(
    conditions: Conditions, functions: Iterable[tuple[DynamicsFunction, Signature]]
) -> KnownValues:
    """Compute the expected values of functions; their kernels need not exist yet.

    Args:
        conditions: the robot's references and the states. The references store results that several
            functions need.
        functions: the functions, each with the signature of its kernel.

    Returns:
        The values that each reference (an independent numeric implementation) computes on the
        states, as an argument of `prove_kernels`.
    """
    known = {}
    for function, signature in functions:
        expectation = _expect(function.name, function.expected_results, signature)
        values = _compute_values(conditions, function, signature, expectation)
        known[_make_key(function, expectation)] = values
    return known


def prove_kernels(
    description: RobotDescription,
    functions: Sequence[DynamicsFunction],
    kernels: Mapping[str, CompiledKernel],
    real: Real,
    count: int,
    seed: int,
    parameter_sets: Sequence[Mapping[str, float]] = (),
    known: KnownValues = MappingProxyType({}),
) -> tuple[KernelProof, ...]:
    """Compare kernels with the references, independent numeric dynamics, on the same states.

    With run-time parameters the states are divided among several sets of parameter values. The
    first set of parameter values consists of the defaults.

    Args:
        description: the robot.
        functions: definitions of the functions that the kernels compute.
        kernels: kernels by function name. Names of batch kernels end in `_batch`, names of kernels
            on several cores in `_cores`. With run-time parameters, `prepare` is one of the kernels;
            the other kernels have the result of `prepare`, or the parameter values, as an input.
        real: floating-point type of the kernels. States are rounded to this type before the
            references compute with them.
        count: number of states.
        seed: seed of the random states.
        parameter_sets: values of the run-time parameters; empty to sample values.
        known: expected values that `compute_known_values` has computed under the same conditions.

    Returns:
        One proof for each kernel except `prepare`, in the order of the functions.

    Raises:
        UsageError: `prepare` rejects the sampled parameter values.
        VerificationError: a kernel and a numeric reference disagree.
    """
    conditions = make_conditions(description, real, count, seed, parameter_sets)
    given = [
        _prepare(kernels[PREPARE], case.values) if case.values else {} for case in conditions.cases
    ]
    proofs = []
    for function in functions:
        # All kernels of a function are compared with the same values, computed once.
        values = dict(known)
        for name in (
            function.name,
            name_batch_kernel(function.name),
            name_cores_kernel(function.name),
        ):
            if name in kernels:
                kernel = kernels[name]
                expectation = _expect(name, function.expected_results, kernel.signature)
                key = _make_key(function, expectation)
                if key not in values:
                    values[key] = _compute_values(
                        conditions, function, kernel.signature, expectation
                    )
                parts = [
                    compare_kernel(
                        _bind_parameters(kernel, prepared),
                        expectation,
                        case.references,
                        expected,
                        BOUNDS[real],
                    )
                    for case, prepared, expected in zip(
                        conditions.cases, given, values[key], strict=True
                    )
                ]
                proofs.append(
                    join_proofs(parts).rename_references(
                        list_reference_names(function.expected_results.subjects)
                    )
                )
    VerificationReport(description.name, tuple(proofs)).require()
    return tuple(proofs)


def _compute_values(
    conditions: Conditions,
    function: DynamicsFunction,
    signature: Signature,
    expectation: Expectation,
) -> list[ExpectedValues]:
    """Compute the values that a kernel should return, for each set of run-time parameter values.

    The states are rounded to the floating-point type of the kernels.
    """
    description, real, cases = conditions.description, conditions.real, conditions.cases
    sizes = {argument.name: argument.size for argument in signature.inputs}
    states = sample_states(
        description, expectation.arguments, conditions.count, conditions.seed, sizes
    )
    states = _round(states, real)
    inverse = function.expected_results.inverse
    if inverse is not None:
        reference = cases[0].references[0]
        inputs = compute_inputs(inverse, [*sizes], reference, states[SOURCE])
        states = _round(replace(states, inputs={**states.inputs, **inputs}), real)
    return [
        compute_expected_values(expectation, case.references, part)
        for case, part in zip(cases, states.divide(len(cases)), strict=True)
    ]


def _make_key(function: DynamicsFunction, expectation: Expectation) -> _Key:
    """Return the key of a function's expected values in `KnownValues`."""
    return function.name, *expectation.inputs, "", *expectation.outputs


def verify_folder(
    delivery: DeliveredFolder,
    description: RobotDescription,
    count: int,
    seed: int,
    gpu: GpuToolchain | None = None,
) -> tuple[KernelProof, ...]:
    """Compile and prove the kernels of a delivered folder.

    Args:
        delivery: the delivered folder, as its manifest describes it.
        description: the robot from which the folder was generated.
        count: number of states.
        seed: seed of the random states.
        gpu: the GPU that runs the batch kernels; None for the CPU.

    Returns:
        One proof for each kernel.

    Raises:
        UsageError: the folder is damaged, has functions that this version does not know, or has no
            kernels for a GPU.
        StaleOutputError: the folder was generated from another description.
        ToolchainError: the compiler is not installed or rejects the code.
        VerificationError: the compiled code and a numeric reference disagree.
    """
    if gpu is not None and delivery.language.name != "cuda":
        raise UsageError(
            f"device cuda: {delivery.folder} has kernels in {delivery.language.name}; generate "
            "the folder with --lang cuda, or omit --device"
        )
    if description.sha256 != delivery.input_sha256:
        raise StaleOutputError(
            f"{delivery.folder} was not generated from {description.path}: the SHA-256 of the file "
            f"is {description.sha256}, the manifest has {delivery.input_sha256}. Generate the "
            "folder again, or name the description from which it was generated"
        )
    try:
        functions = find_functions(
            [kernel.request for kernel in delivery.kernels if kernel.request],
            build_model(description),
        )
    except UsageError as error:
        raise UsageError(
            f"{delivery.folder} contains functions unknown to this version of dynagen: {error}; "
            "generate the folder again"
        ) from error
    if {function.name for function in functions} != {
        kernel.signature.name for kernel in delivery.kernels
    } - {PREPARE}:
        raise UsageError(
            f"{delivery.folder} is damaged: its kernels are not the functions that the manifest "
            "requests; generate the folder again"
        )
    routines = [routine for kernel in delivery.kernels for routine in kernel.iterate_routines()]
    files = delivery.read_compiled_files()
    kernels = load_kernels(delivery.language, files, routines, delivery.real)
    if gpu is not None:
        symbols = {routine.symbol: routine.signature for routine in routines}
        kernels |= gpu.load(files, symbols, delivery.real)
    return prove_kernels(description, functions, kernels, delivery.real, count, seed)


def _round(states: States, real: Real) -> States:
    """Round states to a floating-point type; the result is in arrays of doubles."""
    return replace(
        states,
        inputs={
            name: values.astype(real.dtype).astype(np.float64)
            for name, values in states.inputs.items()
        },
    )


def _prepare(prepare: CompiledKernel, named: Mapping[str, float]) -> dict[str, Array]:
    """Return the inputs of kernels that depend on run-time parameters, by name of the input.

    They are the parameter values, and the result of `prepare`.

    Raises:
        UsageError: `prepare` rejects the values.
    """
    values = np.array(list(named.values()))
    params, status = prepare(values)
    if status != 0:
        raise make_unusable_values_error(named)
    return {PARAMS: params, VALUES: values}


def _bind_parameters(
    kernel: CompiledKernel, given: Mapping[str, Array]
) -> Callable[..., tuple[Array, ...]]:
    """Return a function of the state that calls a kernel with fixed run-time parameters."""
    bound = [given[argument.name] for argument in kernel.signature.inputs if argument.name in given]
    return lambda *state: kernel(*state, *bound)


def _expect(name: str, expected_results: ExpectedResults, signature: Signature) -> Expectation:
    """Return an `Expectation`: inputs, outputs and functions for the expected outputs of a kernel.

    Run-time parameters are not among the inputs.
    """
    expected_results = _add_status(expected_results) if signature.can_fail else expected_results
    return Expectation(
        function=name,
        inputs=tuple(
            argument.name for argument in signature.inputs if argument.name not in (PARAMS, VALUES)
        ),
        outputs=tuple(output.name for output in signature.outputs),
        expected=expected_results.outputs,
        magnitudes=expected_results.magnitudes,
        defined=expected_results.defined,
        source=SOURCE if expected_results.inverse else "",
        measure=expected_results.inverse.measure if expected_results.inverse else None,
    )


def _add_status(expected_results: ExpectedResults) -> ExpectedResults:
    """Add the status code to the expected results of a function that solves linear equations.

    The expected code is 0 if the equations can be solved in a state, and 1 otherwise.
    """

    def expected(reference: Reference, *state: Array) -> tuple[Array, ...]:
        solvable = expected_results.solvable is None or expected_results.solvable(reference, *state)
        return (
            *expected_results.outputs(reference, *state),
            np.where(solvable, np.zeros(len(state[0])), 1.0),
        )

    def magnitudes(reference: Reference, *state: Array) -> tuple[Array, ...]:
        return (*expected_results.compute_scales(reference, *state), np.ones(len(state[0])))

    return replace(expected_results, outputs=expected, magnitudes=magnitudes)
