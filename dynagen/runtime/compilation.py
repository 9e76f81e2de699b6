"""Compilation of a robot description to proved functions of numpy arrays.

Proved functions are stored in the cache (module `entries`), and are then neither generated nor
proved again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from threading import Event
from types import MappingProxyType

from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package
from dynagen.codegen.routine import name_batch_kernel
from dynagen.codegen.ufuncs import write_help
from dynagen.ir.program import PREPARE
from dynagen.memory import collect_new_garbage
from dynagen.numbers.real import find_real
from dynagen.pipeline import driver
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.proof import (
    KnownValues,
    compute_known_values,
    make_conditions,
    prove_kernels,
)
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.entries import find_functions, make_key, store_functions
from dynagen.runtime.progress import show_progress
from dynagen.runtime.ufunc import Call, Ufunc, UfuncNotes
from dynagen.runtime.ufuncs import (
    UfuncSource,
    as_kernel,
    collect_source,
    find_module,
)
from dynagen.stages import Progress
from dynagen.toolchain.commands import note_start
from dynagen.toolchain.extension import compile_calls
from dynagen.verification.comparison import KernelProof

_PREFIX = "robot"  # users do not see it; the robot's name could be a keyword of the language


def compile_ufuncs(description: RobotDescription, settings: Settings) -> dict[str, Ufunc]:
    """Generate functions, compile them for this machine, and prove their calls.

    Returns:
        Function name -> function of numpy arrays. The proof calls these functions themselves, as a
        user would, and compares their results with numeric references (`prove_calls`).

    Raises:
        UsageError: the robot has no such function, or an option is invalid.
        ToolchainError: a compiler or interpreter is not installed.
        VerificationError: the proof of a function failed.
    """
    # The same description and settings have the same functions in every process.
    key = make_key("description", sha256(pickle.dumps(description)).hexdigest(), repr(settings))
    if (found := find_functions(key)) is not None:
        return found
    with show_progress() as progress, ThreadPoolExecutor(2) as threads:
        # The compiler, another process, compiles what is the same for all robots during generation.
        calls_started, kernels_started = Event(), Event()
        threads.submit(_compile_calls, settings, calls_started.set)
        calls_started.wait()
        generation = generate_for_calls(
            description, replace(settings, prefix=settings.prefix or _PREFIX), progress
        )
        progress("compiling", None)

        def work_beside_compiler() -> KnownValues:
            kernels_started.wait()
            expected = expect_results(generation)
            collect_new_garbage()
            return expected

        known = threads.submit(work_beside_compiler)
        with note_start(kernels_started.set):
            ufuncs = make_ufuncs(generation)  # raises the errors of `_compile_calls` too
        progress("proof", None)
        proofs = prove_calls(generation, ufuncs, known.result())
    public = {name: ufunc for name, ufunc in ufuncs.items() if name != PREPARE}
    source = _collect(generation)
    if (module := find_module(source)) is not None:
        texts = [
            f"{proof.function}: {proof.states} states, largest error "
            f"{proof.worst.worst_error:.1e} of at most {proof.within:g}"
            for proof in proofs
        ]
        store_functions(key, public, module, source, texts)
    return public


def _compile_calls(settings: Settings, note: Callable[[], None]) -> None:
    """Compile the part of extension modules that is the same for all robots, into the cache.

    `note` is called when the compiler has started, or if there is nothing to compile.
    """
    with note_start(note):
        module = find_language(settings.language).ufunc_module
        if module is not None:
            compile_calls(module.compiler, module.print_calls(find_real(settings.real)))


def generate_for_calls(
    description: RobotDescription,
    settings: Settings,
    progress: Progress = lambda stage, done: None,
    workers: int = 1,
) -> Generation:
    """Generate the code from which ufuncs are compiled, without a proof.

    Args:
        description: the robot.
        settings: options of the run: the functions to generate, the language and others.
        progress: called with the name of a stage and its completed part from 0 to 1 (None:
            unknown), when a stage begins and during long stages.
        workers: upper limit of the number of processes.

    Returns:
        The generated kernels, without documentation, tests and other files. Kernels for many states
        at once are included if the language can be compiled to an extension module.
    """
    many = find_language(settings.language).ufunc_module is not None
    return driver.generate(
        description,
        replace(settings, batch=many),
        progress,
        prove=False,
        workers=workers,
        only_kernels=True,
    )


def make_ufuncs(generation: Generation) -> dict[str, Ufunc]:
    """Compile generated kernels, and return functions of numpy arrays by name, without a proof."""
    package, source = generation.package, _collect(generation)
    return {
        name: source.make_ufunc(name, notes) for name, notes in write_notes(package, source).items()
    }


def write_notes(package: Package, source: UfuncSource) -> dict[str, UfuncNotes]:
    """Return the notes that `help` shows for each function, by function name."""
    notes = {}
    for kernel in package.kernels:
        text = write_help(package, kernel, source.signatures[kernel.function])
        notes[kernel.function] = UfuncNotes(package.robot, kernel.operations.as_dict(), text)
    return notes


def expect_results(generation: Generation) -> KnownValues:
    """Compute the expected values of the functions of a package, for `prove_calls`.

    Args:
        generation: the generated code, which need not be compiled yet.
    """
    request, settings = generation.request, generation.request.settings
    signatures = _collect(generation).signatures
    return compute_known_values(
        make_conditions(generation.description, request.real, settings.states, settings.seed),
        [(function, signatures[function.name]) for function in request.functions],
    )


def prove_calls(
    generation: Generation,
    calls: Mapping[str, Call],
    known: KnownValues = MappingProxyType({}),
) -> tuple[KernelProof, ...]:
    """Prove functions of numpy arrays: compare their results with independent numeric references.

    Each function is proved in two ways: with a separate call for each state, and with one call for
    all states. A call for one state runs another kernel than a call for many states.

    Args:
        generation: the generated code that the functions were compiled from.
        calls: function name -> function of numpy arrays. For a robot with run-time parameters, the
            name `prepare` must be included.
        known: the result of `expect_results`; empty to compute the expected values here.

    Returns:
        Two proofs of each function, one for each of the two ways to call it.

    Raises:
        VerificationError: a function and a numeric reference disagree.
    """
    request, settings = generation.request, generation.request.settings
    signatures = _collect(generation).signatures
    kernels = {
        name: as_kernel(call, signatures[name], request.real, one_by_one=True)
        for name, call in calls.items()
    }
    kernels |= {
        name_batch_kernel(name): as_kernel(call, signatures[name], request.real)
        for name, call in calls.items()
    }
    return prove_kernels(
        generation.description,
        request.functions,
        kernels,
        request.real,
        settings.states,
        settings.seed,
        known=known,
    )


def _collect(generation: Generation) -> UfuncSource:
    """Collect the source files with kernels, and the files that they include."""
    return collect_source(generation.request.language.name, generation.package, generation.files)
