"""Python: one module of numpy functions that broadcast over leading axes."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from dynagen.ir.interface import PARAMS, STATUS
from dynagen.ir.program import Argument, Element, Operation
from dynagen.languages import documentation
from dynagen.languages.comments import plain_text
from dynagen.languages.elements import named_elements
from dynagen.languages.naming import module_constant
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import WIDTH, Paragraph, Printer, break_line, shape_text
from dynagen.languages.python.calls import call_paragraphs
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill
from dynagen.numbers.exact import Exact

_INDENT = " " * 4
_RESERVED = frozenset({*keyword.kwlist, "np", "batch"})
_FUNCTIONS = {
    Operation.SQRT: "np.sqrt",
    Operation.ABSOLUTE: "np.abs",
    Operation.SIGN: "np.sign",
    Operation.HYPERBOLIC_TANGENT: "np.tanh",
    Operation.EXPONENTIAL: "np.exp",
    Operation.MINIMUM: "np.minimum",
    Operation.MAXIMUM: "np.maximum",
}
# No module of this name could be imported, or it would hide one that it imports.
WORDS = {"Python": frozenset({*(word.lower() for word in keyword.kwlist), "math", "numpy"})}


def kernel_path(package: Package, kernel: Kernel) -> str:
    """All kernels are in one module."""
    return f"{package.prefix}.py"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """The module."""
    module = fill(
        "python/module.py.j2",
        prefix=package.prefix,
        about="\n".join(documentation.about(package, 0)),
        origin=documentation.origin(package),
        symbols="\n".join(documentation.symbol_lines(package.kernels)),
        dtype=package.real.dtype.__name__,
        nq=package.nq,
        nv=package.nv,
        joint_names=[plain_text(joint.name) for joint in package.joints],
        parameters=parameter_constants(package, module_constant, 0),
        named_elements=named_elements(package),
        functions=[each for kernel in package.kernels for each in _functions(package, kernel)],
    )
    return (SourceFile(f"{package.prefix}.py", module),)


def readme_values(package: Package) -> dict[str, str]:
    """The call that the README shows."""
    return {"example": _printer(package, package.kernels[package.shown]).example(package.prefix)}


@dataclass(frozen=True)
class _Function:
    """A kernel as the templates see it."""

    name: str
    summary: str
    arguments: str
    inputs: list[_Array]
    outputs: list[_Array]
    status: str
    paragraphs: list[Paragraph]
    results: list[str]
    is_made_of_calls: bool = False


class _Array(NamedTuple):
    """An argument: its legal name, and its shape as text."""

    name: str
    shape: str


def _functions(package: Package, kernel: Kernel) -> list[_Function]:
    """The function of a kernel; before it, what it calls."""
    if kernel.calls is None:
        return [_function(package, kernel, _printer(package, kernel))]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    inner = _PythonPrinter(
        Routine(f"_{kernel.function}_stage", called.program.signature, called.program), package.real, _RESERVED
    )
    stage = replace(
        _function(package, called, inner), name=inner.routine.symbol, summary=f"What {kernel.function} calls at every stage."
    )
    outer = _PythonPrinter(Routine(kernel.function, kernel.program.signature), package.real, _RESERVED)
    inputs = kernel.program.inputs
    whole = _Function(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[outer.array(argument) for argument in inputs],
        outputs=[outer.array(output.argument) for output in kernel.program.results],
        status=outer.names.get(STATUS, ""),
        paragraphs=call_paragraphs(kernel.calls, outer.names, outer.table, inputs, stage.name, package.real),
        results=[],
        is_made_of_calls=True,
    )
    return [stage, whole]


def _function(package: Package, kernel: Kernel, printer: _PythonPrinter) -> _Function:
    program = kernel.program
    return _Function(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[printer.array(argument) for argument in program.inputs],
        outputs=[printer.array(output.argument) for output in program.results],
        status=printer.names.get(STATUS, ""),
        paragraphs=printer.paragraphs(),
        results=list(printer.stores()),
    )


def _printer(package: Package, kernel: Kernel) -> _PythonPrinter:
    return _PythonPrinter(Routine(kernel.function, kernel.program.signature, kernel.program), package.real, _RESERVED)


class _PythonPrinter(Printer):
    """Prints a kernel as Python on numpy arrays; inputs come with their elements, flat, along the first axis."""

    def literal(self, value: Exact) -> str:
        return self.decimal(value)

    def element(self, element: Element) -> str:
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        line = f"{_INDENT}{name} = {expression}"
        if len(line) > WIDTH:
            yield from break_line(f"{_INDENT}{name} = ({expression})", 2 * _INDENT)
        else:
            yield line

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        if sine:
            yield from self.assign(sine, f"np.sin({angle})")
        if cosine:
            yield from self.assign(cosine, f"np.cos({angle})")

    def stores(self) -> Iterator[str]:
        """Lines that store the results."""
        for target, value in self.results():
            place = f"{self.names[target.argument]}[..., {', '.join(self.subscripts(target, 0))}]"
            yield from self.assign(place, self.expression(value))
        if (status := self.status()) is not None:
            yield f"{_INDENT}{self.names[STATUS]} = np.empty(batch, int)"
            yield f"{_INDENT}{self.names[STATUS]}[...] = np.where({status} > 0, 0, 1)"

    def array(self, argument: Argument) -> _Array:
        """An argument as the template sees it."""
        return _Array(self.names[argument.name], shape_text(argument))

    def example(self, module: str) -> str:
        """A call, with its arrays declared; run-time parameters have been prepared before."""
        new = [argument for argument in self.signature.inputs if argument.name != PARAMS]
        arrays = [f"{array.name} = np.zeros(({array.shape and array.shape + ','}))" for array in map(self.array, new)]
        arrays += [f"{self.names[argument.name]}[{one}] = 1" for argument in new for one in argument.ones]
        inputs = ", ".join(self.names[argument.name] for argument in self.signature.inputs)
        outputs = ", ".join(self.names[output.name] for output in self.signature.outputs)
        return "\n".join([*arrays, f"{outputs} = {module}.{self.routine.symbol}({inputs})"])
