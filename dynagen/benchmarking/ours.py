"""The contenders that are generated: C for one state and for many, called from C and from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dynagen.benchmarking.contender import Contender, all_at_once, one_by_one
from dynagen.compiling import generate_for_calls, ufuncs_of
from dynagen.description.description import RobotDescription
from dynagen.errors import UsageError
from dynagen.generation import Settings
from dynagen.languages.loading import kernel_sources, load_kernels
from dynagen.languages.routine import batch_name
from dynagen.stages import Progress
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.kinematics import Array

FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "gravity_forces": ("q",),
    "bias_forces": ("q", "qd"),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "qd", "tau"),
}
"""What every tool computes, and of which inputs."""


def generated_contenders(
    description: RobotDescription, functions: Sequence[str], states: Mapping[str, Array], progress: Progress
) -> dict[str, list[Contender]]:
    """Ours, by function: compiled for this machine, as users' calls are, and not proved, since results are compared.

    Raises:
        UsageError: a function takes more than states, as run-time parameters.
        ToolchainError: there is no C compiler, or it refuses the source.
    """
    generation = generate_for_calls(description, Settings("c", tuple(functions), prefix="robot"), progress)
    progress("compiling", None)
    language, package = generation.request.language, generation.package
    kernels = load_kernels(language, *kernel_sources(language, package, generation.files), package.real, optimise=True)
    ufuncs = ufuncs_of(generation)
    contenders = {}
    for function in functions:
        ufunc, inputs = ufuncs[function], FUNCTIONS[function]
        taken = tuple(each.name for each in ufunc.inputs)
        if taken != inputs:
            more = ", ".join(name for name in taken if name not in inputs)
            raise UsageError(
                f"{function} of {description.name} takes {more} besides {', '.join(inputs)}, which no other tool does"
            )
        arrays = [states[name] for name in inputs]
        call = _first(ufunc)
        contenders[function] = [
            all_at_once("dynagen C, state by state", _of_rows(kernels[function]), arrays),
            all_at_once("dynagen C, batch", _of_rows(kernels[batch_name(function)]), arrays),
            all_at_once("dynagen Python, one call for all states", call, arrays),
            one_by_one("dynagen Python, a call a state", ufunc, _array, arrays),
        ]
    return contenders


def _of_rows(kernel: CompiledKernel) -> Callable[..., Array]:
    return lambda *inputs: kernel.run(inputs)[0]


def _first(call: Callable[..., Any]) -> Callable[..., Array]:
    return lambda *inputs: _array(call(*inputs))


def _array(result: Any) -> Array:
    """The first result, which a status may follow."""
    first: Array = result[0] if isinstance(result, tuple) else result
    return first
