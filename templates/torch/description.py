"""Descriptions of functions, and of calls of their kernels in PyTorch programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Argument:
    """An input or output: its name, and its shape for one state."""

    name: str
    shape: Shape


@dataclass(frozen=True, eq=False)
class Function:
    """A function with compiled kernels.

    Attributes:
        name: name of the function.
        inputs: inputs in the order of the arguments.
        outputs: outputs in the order of the results.
        real: type of the numbers, float32 or float64.
        takes_parameters: whether the last input contains run-time parameters.
        has_quaternions: whether the first input, q, contains quaternions (of a floating base or
            spherical joints).
        differentiable: whether the function has kernels for products of its Jacobian with vectors.
        has_gpu: whether the kernels also run on an NVIDIA GPU.
        kernels: mapping from each product ("" for the function itself) to its operator without
            derivatives.
        operator: operator of the function with derivatives.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    real: str
    takes_parameters: bool
    has_quaternions: bool
    differentiable: bool
    has_gpu: bool = False
    kernels: Mapping[str, Any] = field(default_factory=dict)
    operator: Any = None

    @property
    def motion(self) -> tuple[Argument, ...]:
        """All inputs except the run-time parameters, such as q, qd and qdd."""
        return self.inputs[:-1] if self.takes_parameters else self.inputs

    @property
    def products(self) -> tuple[str, ...]:
        """Names, such as `jvp`, of the products of the function's Jacobian that kernels compute."""
        if not self.differentiable:
            return ()
        by_parameters = ("parameter_jvp", "parameter_vjp") if self.takes_parameters else ()
        return ("jvp", "vjp", *by_parameters)


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a kernel in a PyTorch program.

    Attributes:
        function: function that the call computes, or whose derivatives it computes.
        product: empty for the function itself. "jvp" and "vjp" are products of vectors with the
            Jacobian by the motion; "parameter_jvp" and "parameter_vjp" are products with the
            Jacobian by run-time parameters.
        columns: whether the states, not the elements of one state, are contiguous in the memory of
            a result.

    The inputs of a product are the inputs of the function, followed by changes of inputs ("jvp") or
    weights of outputs ("vjp"). Run-time parameters are the last input of a kernel.
    """

    function: Function
    product: str
    columns: bool

    @property
    def varied(self) -> tuple[Argument, ...]:
        """Inputs by which the function is differentiated.

        They are either the run-time parameters or all other inputs (the motion).
        """
        if self.product.startswith("parameter"):
            return self.function.inputs[-1:]
        return self.function.motion

    @property
    def more(self) -> tuple[Argument, ...]:
        """Further inputs of a Jacobian product: changes of inputs, or weights of outputs."""
        if not self.product:
            return ()
        return self.function.outputs if self.is_vjp else self.varied

    @property
    def is_vjp(self) -> bool:
        """Whether the call computes a VJP, whose last inputs are weights of the outputs."""
        return self.product.endswith("vjp")

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The function's inputs; in a product, then changes of inputs or weights of outputs."""
        return (*self.function.inputs, *self.more)

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Outputs of the kernel that the call runs."""
        return self.varied if self.is_vjp else self.function.outputs

    def transpose(self) -> Call:
        """Return the call of the transposed product: the VJP for a JVP, and the reverse."""
        other = self.product.replace("vjp", "?").replace("jvp", "vjp").replace("?", "jvp")
        return Call(self.function, other, self.columns)
