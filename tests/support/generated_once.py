"""One generation for many tests and every language: made once, then printed, compiled and proved in
each.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.pipeline.proof import prove_kernels
from dynagen.robot.description import RobotDescription
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED


@lru_cache(maxsize=16)
def generated(description: RobotDescription, settings: Settings) -> Generation:
    """What comes of a robot and settings, neither compiled nor proved; the last few are
    remembered.
    """
    return generate(description, settings, prove=False)


def compiled(generation: Generation, language: str) -> Mapping[str, CompiledKernel]:
    """The kernels of a generation in any language, by name of their function."""
    written_in, package = find_language(language), generation.package
    return load_package(written_in, package, written_in.print_kernels(package))


def proved(
    generation: Generation, kernels: Mapping[str, CompiledKernel], states: int = DEFAULT_COUNT
) -> tuple[KernelProof, ...]:
    """The proofs of a generation's functions, compiled in some language.

    Raises:
        VerificationError: a kernel and a reference disagree.
    """
    definitions = [function.definition for function in generation.functions]
    return prove_kernels(
        generation.description, definitions, kernels, generation.package.real, states, DEFAULT_SEED
    )
