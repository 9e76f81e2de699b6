"""Compilation and proof of all functions, in one process or in several processes.

Function definitions cannot be pickled because they contain closures. A task therefore identifies
functions by their names, and each process resolves the request again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import lru_cache, partial
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any

from dynagen.codegen.package import Package
from dynagen.codegen.routine import name_batch_kernel, name_cores_kernel
from dynagen.codegen.targets.target import Built, SourceFiles
from dynagen.dynamics.function import DynamicsFunction
from dynagen.ir.program import PREPARE, Signature
from dynagen.optimizer.compile import CompiledFunction, compile_function
from dynagen.optimizer.formulation import DesignSpace
from dynagen.pipeline.generation import Generation, Request, resolve
from dynagen.pipeline.proof import (
    KnownValues,
    compute_known_values,
    make_conditions,
    prove_kernels,
)
from dynagen.pipeline.provenance import Provenance, find_formulas, select_short_formulas
from dynagen.pipeline.settings import Settings
from dynagen.processes import open_pools, open_processes, run_in_processes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Stages
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof

_Share = tuple[tuple[str, Signature], ...]
"""Share of a process in the proof: names of the functions that it proves, and their signatures."""
Proved = tuple[dict[str, KernelProof], dict[str, CompiledKernel]]
"""Proofs and compiled kernels, both by kernel name."""


_LARGE = 500
"""Smallest number of outputs for which expected values are computed in another process.

For smaller functions, starting the process takes longer than the computation.
"""
_MOST_KNOWN = 10_000_000
"""Largest number of expected values, per numeric reference, that a process computes in advance.

For further functions, expected values are computed when the function is proved, which requires less
memory.
"""


@contextmanager
def expect_in_advance(
    description: RobotDescription,
    request: Request,
    model: RobotModel,
    stage: Stages,
    workers: int,
) -> Iterator[Callable[[], KnownValues]]:
    """Compute expected values of a large function in another process while the `with` block runs.

    Values are computed in advance only for a run with a single function, because several functions
    keep all processes busy.

    Args:
        description: the robot.
        request: settings of the run.
        model: the robot in the generator's frames.
        stage: reports and times the stages of the run.
        workers: upper limit of the number of processes.

    Yields:
        A function that waits for the expected values and returns them. The returned mapping is
        empty if no values are computed in advance.
    """
    function, *others = request.functions
    entries = sum(argument.size for argument in function.outputs(model))
    if workers == 1 or others or not request.settings.verify or entries < _LARGE:
        yield dict
        return

    def wait() -> KnownValues:
        stage.progress("verification", None)
        values: KnownValues
        values, seconds = begun.result().result()
        stage.add(seconds)
        return values

    # A thread begins the task, because the process first imports the program.
    with open_processes(1) as begin, ThreadPoolExecutor(1) as thread:
        begun = thread.submit(begin, _expect_alone, description, request.settings)
        yield wait


def _expect_alone(
    description: RobotDescription, settings: Settings
) -> tuple[KnownValues, dict[str, float]]:
    """Compute the expected values in a run with one function; return values and times by stage.

    Times are in s.
    """
    stage, model = Stages(), build_model(description)
    request = resolve(settings, model)
    (function,) = request.functions
    with stage("verification"):
        # Recording tells whether the kernel has a status.
        signature = function.build(model).signature
        values = compute_known_values(
            make_conditions(description, request.real, settings.states, settings.seed),
            [(function, signature)],
        )
    return values, stage.seconds


def compile_functions(
    description: RobotDescription, request: Request, model: RobotModel, stage: Stages, workers: int
) -> tuple[CompiledFunction, ...]:
    """Compile the functions of a request.

    Args:
        description: the robot.
        request: settings of the run.
        model: the robot in the generator's frames.
        stage: reports and times the stages of the run.
        workers: upper limit of the number of processes.

    Returns:
        The compiled functions, in the order of the request.
    """
    functions = request.functions
    if workers == 1 or len(functions) == 1:
        space, provenance = DesignSpace(model), Provenance(description)
        return tuple(
            _compile(function, space, provenance, request, stage) for function in functions
        )
    # Functions with many results and methods take longest. They start first, so that no process
    # is left with a long one at the end.
    sizes = [
        len(function.methods) * sum(argument.size for argument in function.outputs(model))
        for function in functions
    ]
    order = sorted(range(len(functions)), key=lambda position: -sizes[position])
    compiled: dict[int, CompiledFunction] = {}
    calls = [(description, request.settings, functions[position].name) for position in order]
    stage.progress("functions", 0.0)
    for place, (parts, seconds) in run_in_processes(_compile_alone, calls, workers):
        compiled[order[place]] = CompiledFunction(functions[order[place]], *parts)
        stage.add(seconds)
        stage.progress("functions", len(compiled) / len(calls))
    return tuple(compiled[position] for position in range(len(functions)))


def _compile_alone(
    description: RobotDescription, settings: Settings, name: str
) -> tuple[list[Any], dict[str, float]]:
    """Compile one function in a worker process.

    Returns:
        The fields of the `CompiledFunction` without its definition, which cannot be pickled, and
        the time of each stage (s).
    """
    space, provenance, request = _resolve(description, settings)
    stage = Stages()
    (definition,) = _select_functions(request, [name])
    function = _compile(definition, space, provenance, request, stage)
    _, *parts = (getattr(function, field.name) for field in fields(function))
    return parts, stage.seconds


def _compile(
    definition: DynamicsFunction,
    space: DesignSpace,
    provenance: Provenance,
    request: Request,
    stage: Stages,
) -> CompiledFunction:
    """Compile a function, and find the formulas of its constants."""
    function = compile_function(definition, space, request.effort, request.settings.method, stage)
    with stage("formulas", definition.name):
        return replace(
            function,
            formulas=select_short_formulas(
                find_formulas(function.program, provenance.record_numbers(function))
            ),
        )


@lru_cache(maxsize=1)  # all tasks of a process have the same robot and settings
def _resolve(
    description: RobotDescription, settings: Settings
) -> tuple[DesignSpace, Provenance, Request]:
    """Return the design space, numbers with names and request that all tasks of a process use."""
    model = build_model(description)
    return DesignSpace(model), Provenance(description), resolve(settings, model)


def _select_functions(request: Request, names: Sequence[str]) -> list[DynamicsFunction]:
    """Return the functions of a request with given names, in the order of the names."""
    functions = {function.name: function for function in request.functions}
    return [functions[name] for name in names]


@contextmanager
def open_proof(
    description: RobotDescription,
    request: Request,
    functions: Sequence[CompiledFunction],
    stage: Stages,
    workers: int,
    wait_for_known: Callable[[], KnownValues] = dict,
) -> Iterator[Callable[[Generation], Proved]]:
    """Compute expected values in other processes while the `with` block writes the source code.

    Args:
        description: the robot.
        request: settings of the run.
        functions: the functions to prove, with their final programs.
        stage: reports and times the stages of the run.
        workers: upper limit of the number of processes.
        wait_for_known: function that returns the expected values that are computed elsewhere, such
            as the function that `expect_in_advance` yields.

    Yields:
        A function that compiles and loads the kernels of a delivery, and compares them with numeric
        references. It returns proofs and compiled kernels. Compiled kernels cannot be pickled, so
        that several processes return none. The function raises ToolchainError if the compiler is
        not installed or rejects the code, and VerificationError if the compiled code and a numeric
        reference disagree.
    """
    if workers == 1 or len(functions) == 1:
        yield lambda generation: _prove(
            description,
            request,
            request.functions,
            generation.package,
            generation.files,
            generation.built,
            stage,
            wait_for_known,
        )
        return
    shares = _divide(functions, workers)
    # A process for each share keeps the expected values of the share.
    with open_pools([1] * len(shares)) as processes:
        begun = [
            begin(_expect_share, description, request.settings, share)
            for share, begin in zip(shares, processes, strict=True)
        ]
        yield partial(_prove_shares, shares, processes, begun, stage)


def _divide(functions: Sequence[CompiledFunction], workers: int) -> list[_Share]:
    """Divide functions into shares that take similar times to prove, at most one for each worker.

    Most of a proof's time is spent on expected values, and grows with their number. Consecutive
    functions stay together: they often need the same results of a numeric reference, which
    caches its results.
    """
    signatures = [(function.name, function.program.signature) for function in functions]
    sizes = [_count_elements(signature) for _, signature in signatures]
    *before, total = accumulate(sizes, initial=0)
    owners = [workers * elements // max(total, 1) for elements in before]
    return [
        tuple(each for each, _ in share)
        for _, share in groupby(zip(signatures, owners, strict=True), key=itemgetter(1))
    ]


def _count_elements(signature: Signature) -> int:
    """Return the number of elements of all results of a kernel."""
    return sum(result.size for result in signature.results)


def _expect_share(
    description: RobotDescription, settings: Settings, share: _Share
) -> dict[str, float]:
    """Compute the expected values of a process's functions, before the kernels are compiled.

    `_prove_share` uses the values later in the same process. The result is the time by stage (s).
    """
    stage = Stages()
    with stage("verification"):
        _know(description, settings, share)
    return stage.seconds


@lru_cache(maxsize=1)
def _know(description: RobotDescription, settings: Settings, share: _Share) -> KnownValues:
    """Return the expected values of a process's functions, cached for the next call.

    The functions are counted in order. When their values exceed _MOST_KNOWN in total, the remaining
    functions are left out.
    """
    *_, request = _resolve(description, settings)
    numbers = accumulate(settings.states * _count_elements(signature) for _, signature in share)
    signatures = [each for each, total in zip(share, numbers, strict=True) if total <= _MOST_KNOWN]
    functions = _select_functions(request, [name for name, _ in signatures])
    return compute_known_values(
        make_conditions(description, request.real, settings.states, settings.seed),
        zip(functions, (signature for _, signature in signatures), strict=True),
    )


def _prove_shares(
    shares: Sequence[_Share],
    processes: Sequence[Callable[..., Future[Any]]],
    begun: Iterable[Future[dict[str, float]]],
    stage: Stages,
    generation: Generation,
) -> Proved:
    """Prove each share of the functions in the process that computes its expected values."""
    request, package, built = generation.request, generation.package, generation.built
    names = [function.name for function in request.functions]
    stage.progress("proof", 0.0)

    def begin_proof(place: int) -> Future[tuple[dict[str, KernelProof], dict[str, float]]]:
        needed = {*dict(shares[place]), PREPARE}
        kernels = tuple(kernel for kernel in package.kernels if kernel.function in needed)
        # A finished build already has all kernels, so no time can be saved.
        part = replace(package, kernels=kernels) if built is None else package
        return processes[place](
            _prove_share,
            generation.description,
            request.settings,
            shares[place],
            part,
            generation.files,
            built,
        )

    # A process receives its kernels only when it is idle. Python 3.10 does not end a pool whose
    # process ends while arguments are in the pipe (https://github.com/python/cpython/issues/94777).
    places = {future: place for place, future in enumerate(begun)}
    running: set[Future[Any]] = {*places}
    proofs: dict[str, KernelProof] = {}
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            if future in places:
                stage.add(future.result())
                running.add(begin_proof(places[future]))
            else:
                proved, seconds = future.result()
                proofs |= proved
                stage.add(seconds)
                stage.progress("proof", sum(name in proofs for name in names) / len(names))
    # Processes end in any order; the report needs the order of the request.
    return {
        name: proofs[name]
        for function in names
        for name in (function, name_batch_kernel(function), name_cores_kernel(function))
        if name in proofs
    }, {}


def _prove_share(
    description: RobotDescription,
    settings: Settings,
    share: _Share,
    package: Package,
    files: SourceFiles,
    built: Built | None,
) -> tuple[dict[str, KernelProof], dict[str, float]]:
    """Prove functions in a worker process; return the proofs, and the time of each stage (s)."""
    stage = Stages()
    *_, request = _resolve(description, settings)
    functions = _select_functions(request, [name for name, _ in share])
    known = partial(_know, description, settings, share)
    proofs, _ = _prove(description, request, functions, package, files, built, stage, known)
    return proofs, stage.seconds


def _prove(
    description: RobotDescription,
    request: Request,
    functions: Sequence[DynamicsFunction],
    package: Package,
    files: SourceFiles,
    built: Built | None,
    stage: Stages,
    wait_for_known: Callable[[], KnownValues] = dict,
) -> Proved:
    """Compile and prove functions in this process; return the proofs and the compiled kernels."""
    settings = request.settings
    with stage("compiled kernel"):
        compiled = request.target.load(package, request.language, files, built)
    known = wait_for_known()
    with stage("verification"):
        proofs = prove_kernels(
            description,
            functions,
            compiled,
            request.real,
            settings.states,
            settings.seed,
            known=known,
        )
    return {proof.function: proof for proof in proofs}, compiled
