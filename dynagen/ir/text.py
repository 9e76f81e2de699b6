"""The text form of a program: what `--dump-ir` shows, and what golden files and tests of passes are written in.

    program gravity_forces
    input q[2] "joint positions" "rad"
    output g[2] "joint forces that hold the robot against gravity" "N m"
    section "Joint positions"
      s1, c1 = sincos(q[0])
      t1 = 9.81*(2.5*c1 + {1/3})
    result g = t1, 0

A status is declared as `status` instead of `output`. Numbers are exact: decimals where they end, otherwise in braces (`{1/3}`,
`{1/2*sqrt(2)}`), so that nothing is lost: the tests' parser makes the same program of it again.
"""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, localcontext

from dynagen.ir.expression_printer import ExpressionPrinter
from dynagen.ir.program import Argument, Element, Operation, Program
from dynagen.ir.statements import Assignment, SineCosine, Statement, statements
from dynagen.numbers.exact import Exact


def print_program(program: Program) -> str:
    """Write a program in the text form; ends with a newline."""
    listing = statements(program)
    lines = [f"program {program.name}"]
    lines += [f"input {_declaration(argument)}" for argument in program.inputs]
    for output in program.outputs:
        lines.append(f"{'status' if output.argument.is_status else 'output'} {_declaration(output.argument)}")
    printer = _TextPrinter()
    for block in listing.blocks:
        lines.append(f"section {_quoted(block.title)}")
        lines += [f"  {printer.statement(statement)}" for statement in block.statements]
    for output, values in listing.results:
        lines.append(f"result {output.argument.name} = {', '.join(printer.expression(value) for value in values)}")
    return "\n".join(lines) + "\n"


def number_text(value: Exact) -> str:
    """An exact number: a decimal if it ends within 17 digits, else its exact form in braces."""
    if value.is_rational:
        with localcontext(Context(prec=17)) as context:
            fraction = value.to_fraction()
            decimal = Decimal(fraction.numerator) / fraction.denominator
            if not context.flags[Inexact]:
                return str(decimal).lower().replace("e+", "e")
    return "{" + str(value).replace(" ", "") + "}"


def _declaration(argument: Argument) -> str:
    shape = ", ".join(str(size) for size in argument.shape)
    units = argument.units[:1] if len(set(argument.units)) == 1 else argument.units
    return f"{argument.name}[{shape}] " + " ".join(_quoted(text) for text in (argument.meaning, *units))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class _TextPrinter(ExpressionPrinter):
    """Expressions of the text form."""

    def literal(self, value: Exact) -> str:
        return number_text(value)

    def name(self, name: str) -> str:
        return name

    def element(self, element: Element) -> str:
        return f"{element.argument}[{element.index}]"

    def function(self, operation: Operation) -> str:
        return str(operation.value)

    def statement(self, statement: Statement) -> str:
        expression = self.expression(statement.expression)
        if isinstance(statement, SineCosine):
            return f"{statement.sine or '_'}, {statement.cosine or '_'} = sincos({expression})"
        return f"{statement.name if isinstance(statement, Assignment) else self.element(statement.place)} = {expression}"
