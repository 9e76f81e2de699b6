"""Robot description and settings -> proved Ufuncs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dynagen import pipeline
from dynagen.description.description import RobotDescription
from dynagen.generation import Generation, Settings
from dynagen.ir.interface import PREPARE
from dynagen.languages import documentation, find_language
from dynagen.languages.package import Package
from dynagen.languages.routine import batch_name
from dynagen.proof import prove_kernels
from dynagen.stages import Progress
from dynagen.ufuncs.broadcasting import Call
from dynagen.ufuncs.source import UfuncSource, source_of
from dynagen.ufuncs.ufunc import Notes, Ufunc, kernel_of
from dynagen.verification.comparison import KernelProof

_PREFIX = "robot"  # nobody sees it, and a robot may be called by a word of some language


def compile_ufuncs(description: RobotDescription, settings: Settings) -> dict[str, Ufunc]:
    """Generate functions, compile them for this machine, and prove what is returned: called with all states, and with each.

    Args:
        description: the robot.
        settings: what to generate, in which language.

    Returns:
        Ufuncs by name of the function.

    Raises:
        DynagenError: as `pipeline.generate`.
    """
    generation = generate_for_calls(description, replace(settings, prefix=settings.prefix or _PREFIX))
    ufuncs = ufuncs_of(generation)
    prove_calls(generation, ufuncs)
    return {name: ufunc for name, ufunc in ufuncs.items() if name != PREPARE}


def generate_for_calls(
    description: RobotDescription, settings: Settings, progress: Progress = lambda stage, done: None, workers: int = 1
) -> Generation:
    """Generate what ufuncs are compiled from, with kernels over lanes where an extension calls such; without a proof."""
    many = find_language(settings.language).extension is not None
    return pipeline.generate(description, replace(settings, batch=many), progress, prove=False, workers=workers)


def ufuncs_of(generation: Generation) -> dict[str, Ufunc]:
    """The kernels of a generation as functions of arrays, by name; not proved."""
    package = generation.package
    source = source_of(generation.request.language.name, package, generation.files)
    return {name: Ufunc(source, name, notes) for name, notes in notes_of(package, source).items()}


def notes_of(package: Package, source: UfuncSource) -> dict[str, Notes]:
    """The notes on every function that help shows."""
    notes = {}
    for kernel in package.kernels:
        arguments = documentation.argument_lines(source.signatures[kernel.function])
        text = "\n".join([documentation.explained(package, kernel, ""), "", *arguments])
        notes[kernel.function] = Notes(package.robot, kernel.operations, text)
    return notes


def prove_calls(generation: Generation, calls: Mapping[str, Call]) -> tuple[KernelProof, ...]:
    """Prove functions as they are called: with each state of the proof, and with all of them at once.

    Args:
        generation: that they were compiled from.
        calls: by name, and the one that prepares run-time parameters if there are any.

    Raises:
        VerificationError: a function and a reference disagree.
    """
    request, settings = generation.request, generation.request.settings
    signatures = source_of(request.language.name, generation.package, generation.files).signatures
    kernels = {name: kernel_of(call, signatures[name], request.real, one_by_one=True) for name, call in calls.items()}
    kernels |= {batch_name(name): kernel_of(call, signatures[name], request.real) for name, call in calls.items()}
    return prove_kernels(generation.description, request.functions, kernels, request.real, settings.states, settings.seed)
