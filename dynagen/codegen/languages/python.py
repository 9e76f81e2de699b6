"""Python: one module of numpy functions.

The functions broadcast over leading axes, so that many states are one call. Inside a function every
element of an argument is an array over states.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from dynagen.codegen import documentation
from dynagen.codegen.examples import Spelling, bracket, bracket_rows
from dynagen.codegen.language import Language
from dynagen.codegen.naming import module_constant, module_symbol
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import (
    WIDTH,
    CallPrinter,
    Calls,
    Paragraph,
    Printer,
    break_line,
    shape_text,
    subscripts,
)
from dynagen.codegen.routine import Routine
from dynagen.codegen.templating import fill
from dynagen.ir.program import STATUS, Argument, Element, Operation
from dynagen.ir.statements import Store
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real
from dynagen.toolchain.interpreted import PythonModule

_INDENT = "    "
RESERVED = frozenset({*keyword.kwlist, "np", "batch"})
"""Names that arguments and values must not have."""
_FUNCTIONS = {
    Operation.SINE: "np.sin",
    Operation.COSINE: "np.cos",
    Operation.SQRT: "np.sqrt",
    Operation.ABSOLUTE: "np.abs",
    Operation.SIGN: "np.sign",
    Operation.HYPERBOLIC_TANGENT: "np.tanh",
    Operation.EXPONENTIAL: "np.exp",
    Operation.MINIMUM: "np.minimum",
    Operation.MAXIMUM: "np.maximum",
}
# A module of such a name could not be imported, or would hide a module that it imports itself.
WORDS = {
    "Python": frozenset({*(word.lower() for word in keyword.kwlist), "math", "np", "numpy", "sys"})
}


class ShapedArgument(NamedTuple):
    """An argument for the template: legal name, and shape as text."""

    name: str
    shape: str


class PythonPrinter(Printer):
    """Printer of a kernel as Python on numpy arrays; names that it must not use are in `taken`.

    In the printed code, inputs have their elements, flattened, along the first axis.
    """

    def __init__(self, routine: Routine, real: Real, *taken: str) -> None:
        super().__init__(routine, real, RESERVED.union(taken))

    def literal(self, value: Exact) -> str:
        """Return the shortest decimal of the routine's type."""
        return self.decimal(value)

    def element(self, element: Element) -> str:
        """Return an element of an argument, which is an array over states."""
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        """Return a function of numpy."""
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield an assignment, in parentheses if it needs several lines."""
        line = f"{_INDENT}{name} = {expression}"
        if len(line) > WIDTH:
            # Parentheses continue a line in Python.
            yield from break_line(f"{_INDENT}{name} = ({expression})", 2 * _INDENT)
        else:
            yield line

    def store(self, store: Store) -> Iterator[str]:
        """Yield an assignment to an element of a result in all states."""
        place = (
            f"{self.names[store.place.argument]}[..., {', '.join(self.subscripts(store.place, 0))}]"
        )
        yield from self.assign(place, self.expression(store.value))

    def statuses(self) -> list[str]:
        """Return lines that compute the array of status codes; empty if the routine cannot fail."""
        status, name = self.status(), self.names.get(STATUS)
        if status is None:
            return []
        return [
            f"{_INDENT}{name} = np.empty(batch, int)",
            f"{_INDENT}{name}[...] = np.where({status} > 0, 0, 1)",
        ]

    def array(self, argument: Argument) -> ShapedArgument:
        """Return an argument for the template."""
        return ShapedArgument(self.names[argument.name], shape_text(argument))


class PythonCallPrinter(CallPrinter, PythonPrinter):
    """Printer of a function that consists of calls."""

    def before(self, calls: Calls) -> Iterator[str]:
        """Yield lines that make arrays of the inputs of sums, then compute the factors.

        An input of one number gets a last axis of length one, to broadcast with vectors.
        """
        read = {
            name
            for stage in calls.composition.stages
            for term in stage.sums
            for name in (term.base, *term.once)
        }
        # Inputs that are only passed on may stay as they are: the called function converts them.
        read.update(factor.scalar for factor in calls.composition.factors)
        for argument in self.signature.inputs:
            if argument.name in read:
                name, axis = self.names[argument.name], "" if argument.shape else "[..., None]"
                yield f"{_INDENT}{name} = np.asarray({name}, dtype=REAL){axis}"
        yield from super().before(calls)

    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """Yield a call, and the largest status so far."""
        if not self.signature.can_fail:
            yield f"{_INDENT}{result} = {symbol}({', '.join(taken)})"
            return
        status = self.names[STATUS]
        current = status if first else f"{status}_now"
        yield f"{_INDENT}{result}, {current} = {symbol}({', '.join(taken)})"
        if not first:
            yield f"{_INDENT}{status} = np.maximum({status}, {current})"


def kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the module, which contains all kernels."""
    return f"{package.prefix}.py"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Print the module."""
    module = fill(
        "python/module.py.j2",
        **documentation.package_values(package, module_constant, 0),
        symbols="\n".join(documentation.symbol_lines(package.kernels)),
        dtype=package.real.dtype.__name__,
        functions=[each for kernel in package.kernels for each in _functions(package, kernel)],
    )
    return (SourceFile(f"{package.prefix}.py", module),)


@dataclass(frozen=True)
class _PythonFunction:
    """A kernel for the template."""

    name: str
    summary: str
    arguments: str
    inputs: list[ShapedArgument]
    outputs: list[ShapedArgument]
    status: str
    paragraphs: list[Paragraph]
    results: list[str]
    is_made_of_calls: bool = False


def _functions(package: Package, kernel: Kernel) -> list[_PythonFunction]:
    """Return the function of a kernel; the function that it calls, if any, comes first."""
    if kernel.calls is None:
        return [
            _function(package, kernel, PythonPrinter(kernel.routine(kernel.function), package.real))
        ]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    inner = PythonPrinter(called.routine(f"_{kernel.function}_stage"), package.real)
    stage = replace(
        _function(package, called, inner),
        name=inner.routine.symbol,
        summary=f"Function that {kernel.function} calls at every stage.",
    )
    outer = PythonCallPrinter(Routine(kernel.function, kernel.program.signature), package.real)
    inputs = kernel.program.inputs
    whole = _PythonFunction(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[outer.array(argument) for argument in inputs],
        outputs=[outer.array(output.argument) for output in kernel.program.results],
        status=outer.names.get(STATUS, ""),
        paragraphs=outer.calls(kernel.calls, stage.name),
        results=[],
        is_made_of_calls=True,
    )
    return [stage, whole]


def _function(package: Package, kernel: Kernel, printer: PythonPrinter) -> _PythonFunction:
    """Return a kernel without calls for the template."""
    program = kernel.program
    return _PythonFunction(
        name=kernel.function,
        summary=documentation.explained(package, kernel, _INDENT),
        arguments=documentation.argument_block(kernel.program.signature, _INDENT),
        inputs=[printer.array(argument) for argument in program.inputs],
        outputs=[printer.array(output.argument) for output in program.results],
        status=printer.names.get(STATUS, ""),
        paragraphs=printer.paragraphs(),
        results=list(printer.stores().lines),
    )


# Names that the templates use.
_TAKEN = ("path", "sys", "table", "count_wrong", "wrong", "print", "int", "min", "sum", "str")


def spelling(package: Package) -> Spelling:
    """Return the syntax of Python for the example and the golden test."""
    return Spelling(
        "py",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={
            "row": partial(bracket, indent=_INDENT),
            "rows": partial(bracket_rows, indent=_INDENT),
            "subscripts": subscripts,
        },
    )


PYTHON = Language(
    name="python",
    aliases=("py", "numpy"),
    layout="row-major",
    first_index=0,
    words=WORDS,
    symbol=module_symbol,
    constant=module_constant,
    kernel_path=kernel_path,
    print_kernels=print_kernels,
    spelling=spelling,
    toolchain=PythonModule(),
)
