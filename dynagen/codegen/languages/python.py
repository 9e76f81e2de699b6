"""Python code: one module of functions on numpy arrays.

An array may have more axes than the array of one state. The additional axes come first, count
states and broadcast, so that one call computes many states. Inside a function, every element of an
argument is an array over states.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from dynagen.codegen import documentation
from dynagen.codegen.examples import Spelling, bracket, bracket_rows
from dynagen.codegen.language import Language
from dynagen.codegen.layouts import Conventions, lay_out_calls, lay_out_state
from dynagen.codegen.naming import name_constant_in_module, name_in_module
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import (
    WIDTH,
    Paragraph,
    break_line,
    format_shape,
    list_subscripts,
    print_tables,
)
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Call, ElementwiseLoop, Function
from dynagen.codegen.writer import Writer
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Assignment, Expression, Name, list_atoms
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact
from dynagen.toolchain.interpreted import PythonModule

_INDENT = "    "
RESERVED = frozenset({*keyword.kwlist, "np", "batch"})
"""Names that arguments and values in generated Python code must not have."""
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


class ShapedArgument(NamedTuple):
    """An argument of a kernel, for the jinja2 template.

    Attributes:
        name: name that is legal in Python.
        shape: shape for one state as text, such as `6, 6`.
    """

    name: str
    shape: str


CONVENTIONS = Conventions(RESERVED, stores_last=True)


class PythonWriter(Writer):
    """Writer of Python functions on numpy arrays.

    In the printed statements, the first axis of each input contains its elements in row-major
    order, and the other axes count states.
    """

    def print_literal(self, value: Exact) -> str:
        """Return a number as the shortest decimal that the function's number type reads exactly.

        The number is first rounded to the number type.
        """
        return self.print_decimal(value)

    def print_element(self, element: Element) -> str:
        """Return Python text of an argument's element, which is an array over states."""
        return f"{element.argument}[{element.index}]"

    def name_function(self, operation: Operation) -> str:
        """Return the name of the numpy function that computes an operation, such as `np.sin`."""
        return _FUNCTIONS[operation]

    def name_table(self, table: Table) -> str:
        """Return the name of the module's private function that looks up a table of constants."""
        return f"_{table.name}"

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield a Python assignment of the text `expression` to `name`.

        An assignment of several lines has parentheses.
        """
        line = f"{self.indent}{name} = {expression}"
        if len(line) > WIDTH:
            # Parentheses continue a line in Python.
            yield from break_line(f"{self.indent}{name} = ({expression})", 2 * self.indent)
        else:
            yield line

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a Python assignment to an element of a result, in all states at once."""
        listed = ", ".join(list_subscripts(self.arguments[place.argument], place.index))
        yield from self.assign(f"{place.argument}[..., {listed}]", self.print_expression(value))

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield Python lines that set an array over states: 0 where `value` is positive, else 1."""
        # Broadcasting fills all states, also if the value is one constant.
        yield f"{self.indent}{name} = np.empty(batch, int)"
        yield f"{self.indent}{name}[...] = np.where({value} > 0, 0, 1)"

    def call(self, call: Call) -> Iterator[str]:
        """Yield a Python call, and keep the largest status code (0 or 1) of all calls so far."""
        called = f"{call.function}({', '.join(call.inputs)})"
        if not call.status:
            yield f"{self.indent}{call.result} = {called}"
            return
        yield f"{self.indent}{call.result}, {call.failed or call.status} = {called}"
        if call.failed:
            yield f"{self.indent}{call.status} = np.maximum({call.status}, {call.failed})"


class PythonCallWriter(PythonWriter):
    """Writer of a function that calls another function several times and adds the results.

    Inputs are passed to the called function without conversion. Scalar inputs have an additional
    last axis of size 1.
    """

    def print_element(self, element: Element) -> str:
        """Return the name of an input that is one number.

        Other elements do not occur, because the function adds whole vectors.
        """
        return element.argument

    def write_conversions(self) -> list[str]:
        """Return Python lines that convert the inputs of sums to numpy arrays.

        Inputs that are only passed to the called function need no conversion: the called function
        converts them.
        """
        nodes = [node for section in self.tree.sections for node in section.nodes]
        assigned = [node for node in nodes if isinstance(node, Assignment)]
        assigned += [
            each for node in nodes if isinstance(node, ElementwiseLoop) for each in node.statements
        ]
        # Only sums are computed here, so only their inputs must be arrays.
        read = {
            atom.name if isinstance(atom, Name) else atom.argument
            for assignment in assigned
            for atom in list_atoms(assignment.expression)
        }
        return [
            f"{self.indent}{each.name} = np.asarray({each.name}, dtype=REAL)"
            f"{'' if each.shape else '[..., None]'}"
            for each in self.tree.signature.inputs
            if each.name in read
        ]


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the Python module, which contains all kernels."""
    return f"{package.prefix}.py"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return the file of the Python module with all kernels of a package."""
    module = fill(
        "python/module.py.j2",
        **documentation.collect_package_values(package, name_constant_in_module, 0),
        symbols="\n".join(documentation.describe_symbols(package.kernels)),
        dtype=package.real.dtype.__name__,
        functions=[each for kernel in package.kernels for each in _functions(package, kernel)],
        tables=print_tables(package.operations, package.real),
    )
    return (SourceFile(f"{package.prefix}.py", module),)


@dataclass(frozen=True)
class _PythonFunction:
    """Python texts of a kernel, for the jinja2 template.

    `outputs` exclude the status code. `status` is empty if the kernel cannot fail. `results` are
    lines that store the results. `is_made_of_calls` is true if the function calls another function
    several times.
    """

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
    """Return the Python functions of a kernel: the kernel itself is the last one.

    Before it comes the function that the kernel calls several times, if there is one.
    """
    if kernel.calls is None:
        return [_function(package, kernel, kernel.function)]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    stage = replace(
        _function(package, called, f"_{kernel.function}_stage"),
        summary=f"Function that {kernel.function} calls at every stage.",
    )
    function = lay_out_calls(
        kernel.make_routine(kernel.function), CONVENTIONS, kernel.calls, stage.name
    )
    writer = PythonCallWriter(function, package.real)
    first, *others = writer.write_paragraphs()
    lines = (*writer.write_conversions(), *first.lines)
    whole = _describe(package, kernel, function, [replace(first, lines=lines), *others])
    return [stage, replace(whole, is_made_of_calls=True)]


def _function(package: Package, kernel: Kernel, symbol: str) -> _PythonFunction:
    """Return the Python texts of a function named `symbol` with all statements of a kernel."""
    function = lay_out_state(kernel.make_routine(symbol), CONVENTIONS)
    # The template allocates the results between computations and stores.
    *paragraphs, results = PythonWriter(function, package.real).write_paragraphs()
    described = _describe(package, kernel, function, paragraphs)
    return replace(described, results=list(results.lines))


def _describe(
    package: Package, kernel: Kernel, function: Function, paragraphs: list[Paragraph]
) -> _PythonFunction:
    """Return the Python texts of a function, without the lines that store its results."""
    signature = function.signature
    return _PythonFunction(
        name=function.symbol,
        summary=documentation.explain_kernel(package, kernel, _INDENT),
        arguments=documentation.comment_arguments(kernel.program.signature, _INDENT),
        inputs=[ShapedArgument(each.name, format_shape(each)) for each in signature.inputs],
        outputs=[ShapedArgument(each.name, format_shape(each)) for each in signature.results],
        status=function.status,
        paragraphs=paragraphs,
        results=[],
    )


# Names that the templates use.
_TAKEN = ("path", "sys", "table", "count_wrong", "wrong", "print", "int", "min", "sum", "str")


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of Python for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """
    return Spelling(
        "py",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={
            "row": partial(bracket, indent=_INDENT),
            "rows": partial(bracket_rows, indent=_INDENT),
            "subscripts": list_subscripts,
        },
    )


PYTHON = Language(
    name="python",
    aliases=("py", "numpy"),
    layout="row-major",
    first_index=0,
    symbol=name_in_module,
    constant=name_constant_in_module,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    toolchain=PythonModule(),
)
