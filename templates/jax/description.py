"""Descriptions of functions, and of calls of their kernels in JAX programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Argument:
    """An input or output: its name, and its shape for one state."""

    name: str
    shape: Shape


@dataclass(frozen=True)
class Function:
    """A function with compiled kernels.

    Attributes:
        name: name of the function.
        inputs: inputs in the order of the arguments.
        outputs: outputs in the order of the results.
        library: prefix of the names under which the function's kernels are registered.
        real: type of the numbers, float32 or float64.
        takes_parameters: whether the last input contains run-time parameters.
        has_quaternions: whether the first input, q, contains quaternions (of a floating base or
            spherical joints).
        differentiable: whether the function has kernels `<name>_jvp` and `<name>_vjp` for
            derivatives.
        program: name of the module with programs in jax.numpy.
        has_gpu: whether the kernels also run on an NVIDIA GPU.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    library: str
    real: str
    takes_parameters: bool
    has_quaternions: bool
    differentiable: bool
    program: str
    has_gpu: bool = False


@dataclass(frozen=True)
class Call:
    """A call of a kernel in a JAX program.

    Attributes:
        function: function that the call computes, or whose derivatives it computes.
        product: empty for the function itself, "jvp" or "vjp" for a product of its Jacobian with
            vectors.
        states_last: whether states are the last axis of all arrays, instead of the first axes.

    The inputs of a product are the inputs of the function, followed by changes of the inputs
    ("jvp") or weights of the outputs ("vjp").
    """

    function: Function
    product: str
    states_last: bool

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """Inputs of the kernel that the call runs."""
        more = {"": (), "jvp": self.function.inputs, "vjp": self.function.outputs}
        return (*self.function.inputs, *more[self.product])

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Outputs of the kernel that the call runs."""
        return self.function.inputs if self.product == "vjp" else self.function.outputs

    def find_states(self, array: Any, argument: Argument) -> Shape:
        """Return the lengths of those axes of an array that count states."""
        outer = array.shape[: array.ndim - len(argument.shape) - self.states_last]
        return (*outer, array.shape[-1]) if self.states_last else outer

    def add_states(self, shape: Shape, states: Shape) -> Shape:
        """Return the shape of an array for many states, from its shape for one state."""
        if self.states_last:
            return (*states[:-1], *shape, states[-1])
        return (*states, *shape)

    def describe(self, arrays: Sequence[Any], shapes: Sequence[Shape]) -> list[Any]:
        """Return shapes and types of outputs for many states, from their shapes for one state."""
        states = np.broadcast_shapes(*map(self.find_states, arrays, self.inputs))
        return [
            jax.ShapeDtypeStruct(self.add_states(shape, states), self.function.real)
            for shape in shapes
        ]
