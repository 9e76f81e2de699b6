"""Robot description and settings -> proved Ufuncs."""

from __future__ import annotations

from dataclasses import replace

from dynagen import pipeline
from dynagen.description.description import RobotDescription
from dynagen.generation import Generation, Settings
from dynagen.ir.interface import PREPARE
from dynagen.languages import documentation, find_language
from dynagen.languages.routine import batch_name
from dynagen.proof import prove_kernels
from dynagen.ufuncs.source import source_of
from dynagen.ufuncs.ufunc import Notes, Ufunc

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
    many = find_language(settings.language).batch_path is not None
    generation = pipeline.generate(description, replace(settings, batch=many, prefix=_PREFIX), prove=False)
    ufuncs = ufuncs_of(generation)
    request = generation.request
    kernels = {name: ufunc.as_kernel(one_by_one=True) for name, ufunc in ufuncs.items()}
    kernels |= {batch_name(name): ufunc.as_kernel() for name, ufunc in ufuncs.items()}
    prove_kernels(description, request.functions, kernels, request.real, settings.states, settings.seed)
    return {name: ufunc for name, ufunc in ufuncs.items() if name != PREPARE}


def ufuncs_of(generation: Generation) -> dict[str, Ufunc]:
    """The kernels of a generation as functions of arrays, by name; not proved."""
    package = generation.package
    source = source_of(generation.request.language.name, package, generation.files)
    signatures = source.signatures
    ufuncs = {}
    for kernel in package.kernels:
        arguments = documentation.argument_lines(signatures[kernel.function])
        text = "\n".join([documentation.explained(package, kernel, ""), "", *arguments])
        ufuncs[kernel.function] = Ufunc(source, kernel.function, Notes(package.robot, kernel.operations, text))
    return ufuncs
