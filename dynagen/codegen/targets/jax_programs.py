"""Programs in jax.numpy: each kernel is a Python function of lists of elements.

Each element of an argument is a number, or an array over states. JAX can differentiate the programs
to any order, and can compile the programs for any device. A result that cannot be computed is NaN.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.codegen import documentation
from dynagen.codegen.layouts import Conventions, lay_out_state
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import Kernel, Package
from dynagen.codegen.printing import WIDTH, break_line, print_tables
from dynagen.codegen.templating import fill
from dynagen.codegen.writer import Writer
from dynagen.ir.program import PARAMS, PREPARE, Element, Operation
from dynagen.ir.statements import Expression
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact

_FUNCTIONS = {
    Operation.SINE: "jnp.sin",
    Operation.COSINE: "jnp.cos",
    Operation.SQRT: "jnp.sqrt",
    Operation.ABSOLUTE: "jnp.abs",
    Operation.SIGN: "jnp.sign",
    Operation.HYPERBOLIC_TANGENT: "jnp.tanh",
    Operation.EXPONENTIAL: "jnp.exp",
    Operation.MINIMUM: "jnp.minimum",
    Operation.MAXIMUM: "jnp.maximum",
}
_PREPARED = "prepared"
"""Name of the variable for the status of `prepare` in a function that calls `prepare`."""
_CONVENTIONS = Conventions(
    frozenset({*keyword.kwlist, "jnp", "keep_valid", PREPARE, _PREPARED}), stores_last=True
)


class _JaxWriter(Writer):
    """Writer of a Python function whose inputs and results are lists of elements."""

    def print_literal(self, value: Exact) -> str:
        """Return the shortest decimal that reads as the number rounded to the number type."""
        return self.print_decimal(value)

    def print_element(self, element: Element) -> str:
        """Return the Python text of an argument's element, such as `q[2]`."""
        return f"{element.argument}[{element.index}]"

    def name_function(self, operation: Operation) -> str:
        """Return the name of the function of jax.numpy that computes an operation."""
        return _FUNCTIONS[operation]

    def name_table(self, table: Table) -> str:
        """Return the name of the module's private function that looks up a table of constants."""
        return f"_{table.name}"

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield a Python assignment, with parentheses if it has several lines."""
        line = f"{self.indent}{name} = {expression}"
        if len(line) > WIDTH:
            yield from break_line(f"{self.indent}{name} = ({expression})", 2 * self.indent)
        else:
            yield line

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a Python assignment of a value to an element of a result."""
        yield from self.assign(self.print_element(place), self.print_expression(value))

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield a Python assignment to the status `name`: `value`, which is positive on success."""
        yield f"{self.indent}{name} = {value}"


@dataclass(frozen=True)
class _Program:
    """Texts of the Python function of a kernel, for the jinja2 template.

    `explained` documents the function. `lines` are the statements of the function, and `returned`
    is the returned expression.
    """

    name: str
    inputs: tuple[str, ...]
    explained: str
    lines: tuple[str, ...]
    returned: str


def print_programs(package: Package) -> str:
    """Return the text of a Python module with a JAX function for every kernel."""
    return fill(
        "jax/programs.py.j2",
        robot=make_plain_text(package.robot),
        origin=documentation.describe_origin(package),
        symbols="\n".join(documentation.describe_symbols(package.kernels)),
        functions=[_print_program(package, kernel) for kernel in package.kernels],
        tables=print_tables(package.operations, package.real),
    )


def _print_program(package: Package, kernel: Kernel) -> _Program:
    """Return the texts of the Python function in jax.numpy that computes a kernel's results."""
    function = lay_out_state(kernel.in_one.make_routine(kernel.function), _CONVENTIONS)
    writer = _JaxWriter(function, package.real)
    signature = function.signature
    *paragraphs, results = writer.write_paragraphs()
    lines = []
    # The last input of a function with run-time parameters is their values.
    takes = any(each.name == PARAMS for each in kernel.program.inputs)
    if takes:
        params = signature.inputs[-1].name
        lines.append(f"{writer.indent}{params}, {_PREPARED} = {PREPARE}({params})")
    for paragraph in paragraphs:
        if paragraph.lines and paragraph.title:
            lines += ["", f"{writer.indent}# {paragraph.title}"]
        lines += paragraph.lines
    lines += ["", f"{writer.indent}# Results"]
    lines += [f"{writer.indent}{each.name} = [0.0] * {each.size}" for each in signature.results]
    lines += results.lines
    outputs = ", ".join(each.name for each in signature.results)
    if kernel.function == PREPARE:
        returned = f"{outputs}, {function.status}"
    else:
        returned = f"[{outputs}]"
        for status in (_PREPARED if takes else "", function.status):
            if status:
                returned = f"keep_valid({returned}, {status})"
    return _Program(
        kernel.function,
        tuple(each.name for each in signature.inputs),
        documentation.explain_kernel(package, kernel, "    "),
        tuple(lines),
        returned,
    )
