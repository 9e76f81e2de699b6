"""Python: one module of numpy functions that broadcast over leading axes."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dynagen.description.names import identifier
from dynagen.errors import UsageError
from dynagen.ir.interface import PARAMS, STATUS
from dynagen.ir.program import Argument, Element, Operation
from dynagen.languages import documentation
from dynagen.languages.comments import plain_text
from dynagen.languages.elements import named_elements
from dynagen.languages.manifest import with_manifest
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import WIDTH, Paragraph, Printer, break_line, shape_text
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
_UNUSABLE_MODULES = frozenset({*keyword.kwlist, "numpy"})


class PythonBackend:
    """Target language Python."""

    name = "python"
    aliases: tuple[str, ...] = ("py", "numpy")
    layout = "row-major"
    one_file = True

    def symbol(self, package: Package, kernel: Kernel) -> str:
        """The function's own name: the module already carries the prefix."""
        return kernel.function

    def constant(self, package: Package, parameter: str) -> str:
        """`P_<PARAMETER>`."""
        return f"P_{identifier(parameter)}".upper()

    def kernel_path(self, package: Package, kernel: Kernel) -> str:
        """All kernels are in one module."""
        return f"{package.prefix}.py"

    def render(self, package: Package) -> tuple[SourceFile, ...]:
        """Module, README and manifest.

        Raises:
            UsageError: no module can have the prefix as its name.
        """
        if package.prefix in _UNUSABLE_MODULES:
            raise UsageError(f"a Python module cannot be called {package.prefix}; choose another --prefix")
        functions = [_function(package, kernel) for kernel in package.kernels]
        module = fill(
            "python/module.py.j2",
            prefix=package.prefix,
            about="\n".join(documentation.about(package, 0)),
            origin=documentation.origin(package),
            symbols="\n".join(documentation.symbol_lines(package.kernels)),
            ownership=documentation.OWNERSHIP,
            dtype=package.real.dtype.__name__,
            joint_names=[plain_text(joint.name) for joint in package.joints],
            parameters=parameter_constants(package, self, 0),
            named_elements=named_elements(package),
            functions=functions,
        )
        readme = documentation.readme(package, self, 0, functions[package.shown].example)
        return with_manifest(package, self, (SourceFile(f"{package.prefix}.py", module), readme))


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
    example: str


class _Array(NamedTuple):
    """An argument: its legal name, and its shape as text."""

    name: str
    shape: str


def _function(package: Package, kernel: Kernel) -> _Function:
    printer = _PythonPrinter(kernel.program, package.real, _RESERVED)
    program = kernel.program
    return _Function(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.comment_block(documentation.argument_lines(kernel), _INDENT),
        inputs=[printer.array(argument) for argument in program.inputs],
        outputs=[printer.array(output.argument) for output in program.results],
        status=printer.names.get(STATUS, ""),
        paragraphs=printer.paragraphs(),
        results=list(printer.stores()),
        example=printer.example(f"{package.prefix}.{kernel.function}"),
    )


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
            place = f"{self.names[target.argument]}[..., {self.subscripts(target, 0)}]"
            yield from self.assign(place, self.expression(value))
        if (status := self.status()) is not None:
            yield f"{_INDENT}{self.names[STATUS]} = np.empty(batch, int)"
            yield f"{_INDENT}{self.names[STATUS]}[...] = np.where({status} > 0, 0, 1)"

    def array(self, argument: Argument) -> _Array:
        """An argument as the template sees it."""
        return _Array(self.names[argument.name], shape_text(argument))

    def example(self, function: str) -> str:
        """A call, with its arrays declared; run-time parameters have been prepared before."""
        new = (self.array(argument) for argument in self.program.inputs if argument.name != PARAMS)
        arrays = [f"{array.name} = np.zeros(({array.shape},))" for array in new]
        inputs = ", ".join(self.names[argument.name] for argument in self.program.inputs)
        outputs = ", ".join(self.names[output.argument.name] for output in self.program.outputs)
        return "\n".join([*arrays, f"{outputs} = {function}({inputs})"])
