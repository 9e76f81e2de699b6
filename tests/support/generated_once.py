"""One generation for many tests and every language: printed, compiled and proved in each.

The program of a function does not depend on language, precision and batch. So `making_once`
compiles it once for all tests and all processes of pytest-xdist (`made_once` in
`tests/conftest.py`). `compiled_anew` is for a test that changes how functions are compiled.
Expected values depend on the robot and the states alone, so `proved` computes them once for all
languages.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock

from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.codegen.routine import name_batch_kernel, name_cores_kernel
from dynagen.dynamics.function import DynamicsFunction
from dynagen.optimizer.compile import CompiledFunction, compile_function
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.pipeline import parallel, proof
from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.pipeline.proof import prove_kernels
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel
from dynagen.stages import Stages
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import (
    Expectation,
    ExpectedValues,
    KernelProof,
    compute_expected_values,
)
from dynagen.verification.reference import Reference
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED, States

_references = lru_cache(maxsize=4)(proof.make_references)
_COMPILED: dict[tuple[str, RobotModel, Effort, str | None], CompiledFunction] = {}


@contextmanager
def making_once(folder: Path) -> Iterator[None]:
    """Compile each function of a robot once, and set up its references once; remember both.

    Processes that use the same folder share what they compile. The folder lasts as long as the
    tests, because other code compiles other programs.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "compile_function", partial(_compiled_once, folder))
        patch.setattr(
            proof, "make_references", _references
        )  # which remember what they computed for some states
        yield


def _compiled_once(
    folder: Path,
    function: DynamicsFunction,
    space: DesignSpace,
    effort: Effort,
    method: str | None,
    stage: Stages,
) -> CompiledFunction:
    key = (function.request, space.described.model, effort, method)
    if key not in _COMPILED:
        # The text of a robot has all of its numbers, exactly.
        file = folder / sha256(repr(key).encode()).hexdigest()
        with FileLock(f"{file}.lock"):  # a second process waits, rather than compile it too
            if file.exists():
                parts = pickle.loads(file.read_bytes())
            else:
                made = compile_function(function, space, effort, method, stage)
                parts = {each.name: getattr(made, each.name) for each in fields(made)}
                del parts["definition"]  # has closures, which cannot be pickled
                file.write_bytes(pickle.dumps(parts))
        _COMPILED[key] = CompiledFunction(function, **parts)
    return replace(_COMPILED[key], definition=function)


@lru_cache(maxsize=16)
def generated(description: RobotDescription, settings: Settings) -> Generation:
    """Generate code for a robot without proof; the last few results are remembered."""
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            proof, "compute_expected_values", _remember(generation.description, definitions)
        )
        return prove_kernels(
            generation.description,
            definitions,
            kernels,
            generation.package.real,
            states,
            DEFAULT_SEED,
        )


@lru_cache(maxsize=2)  # tests of one robot follow each other; a large robot's values are 100 MB
def _known_values(description: RobotDescription) -> dict[Hashable, ExpectedValues]:
    """Return the expected values of a robot that are known, to be filled."""
    return {}


def _remember(
    description: RobotDescription, definitions: Sequence[DynamicsFunction]
) -> Callable[[Expectation, tuple[Reference, ...], States], ExpectedValues]:
    """Return `compute_expected_values` for functions of a robot that remembers its results."""
    known = _known_values(description)
    by_name = {
        name: definition
        for definition in definitions
        for name in (
            definition.name,
            name_batch_kernel(definition.name),
            name_cores_kernel(definition.name),
        )
    }

    def compute(
        expectation: Expectation, references: tuple[Reference, ...], states: States
    ) -> ExpectedValues:
        # Every set of run-time parameters is proved in other states, some of them random, so the
        # states determine the references too.
        names = expectation.arguments, expectation.outputs
        key = (
            by_name[expectation.function].expected_results,
            names,
            *(states[name].tobytes() for name in names[0]),
        )
        if key not in known:
            known[key] = compute_expected_values(expectation, references, states)
        # Kernels get the states of the result: each proof has copies of its own.
        of_states = known[key].states
        copies = {name: values.copy() for name, values in of_states.inputs.items()}
        return replace(known[key], states=replace(of_states, inputs=copies))

    return compute
