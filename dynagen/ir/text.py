"""Text of programs and expressions: precedence, parentheses, and the form of `--dump-ir`.

`ExpressionPrinter` serves the text form and all languages. Parentheses keep the order of
operations, so that compiled kernels round as the program does. Parentheses also enclose a minus
sign after an operator, because Fortran forbids two operators in sequence.

Golden files and tests of passes use the text form:

    program gravity_forces
    input q[2] "joint positions" "rad"
    output g[2] "joint forces that hold the robot against gravity" "N m"
    section "Joint positions"
      s1, c1 = sincos(q[0])
      t1 = 9.81*(2.5*c1 + {1/3})
    result g = t1, 0

A status is declared as `status` instead of `output`. A table of constants is declared before the
first section, as in `table heights "meaning" = 0.5, 0.7`, and looked up by a call, `heights(t1)`.
Numbers are exact: finite decimals, or fractions and roots in braces (`{1/3}`, `{1/2*sqrt(2)}`). A
parser in the tests restores the program from the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Context, Decimal, Inexact, localcontext
from typing import NamedTuple

from dynagen.ir.program import Argument, Element, Operation, Program
from dynagen.ir.statements import (
    Assignment,
    Constant,
    Expression,
    Name,
    SineCosine,
    Statement,
    write_statements,
)
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact

_ATOM = 1 + max(operation.precedence for operation in Operation)


class _Text(NamedTuple):
    """A printed expression, and whether its text begins with a minus sign.

    The precedence of the outermost operator is 1 for a sum or difference, 2 for a product or
    quotient, `_ATOM` for a name, literal or call.
    """

    text: str
    precedence: int = _ATOM
    signed: bool = False


class ExpressionPrinter(ABC):
    """Printer of expressions; a subclass defines a language's literals, names and elements.

    Attributes:
        rounding: name of a function that rounds the result of each operation, for languages that
            compute with wider numbers than the kernel; otherwise empty.
    """

    rounding = ""

    @abstractmethod
    def print_literal(self, value: Exact) -> str:
        """Return an exact number as a literal of the target language."""

    def has_sign(self, value: Exact) -> bool:
        """Return whether the literal of a number begins with a minus sign.

        After an operator, such a literal is enclosed in parentheses.
        """
        return value < 0

    @abstractmethod
    def print_name(self, name: str) -> str:
        """Return the name of a program's variable, as the target language writes it."""

    @abstractmethod
    def print_element(self, element: Element) -> str:
        """Return the text that reads an input argument's element, such as `q[0]` in C."""

    @abstractmethod
    def name_function(self, operation: Operation) -> str:
        """Return the name of the language's function for an operation, such as `fabs` in C."""

    def name_table(self, table: Table) -> str:
        """Return the name of the function that looks up a table; by default the table's name."""
        return table.name

    def print_expression(self, expression: Expression) -> str:
        """Return an expression as text of the target language, without enclosing parentheses."""
        return self._print(expression).text

    def _print(self, expression: Expression) -> _Text:
        """Return the text of an expression with the precedence of its outermost operator."""
        match expression:
            case Constant(value):
                return _Text(self.print_literal(value), signed=self.has_sign(value))
            case Name(name):
                return _Text(self.print_name(name))
            case Element():
                return _Text(self.print_element(expression))
        # Kernels compute sines and cosines by statements of their own; equations call them.
        operation = expression.operation
        if operation.is_function or operation in (Operation.SINE, Operation.COSINE):
            passed = ", ".join(self.print_expression(operand) for operand in expression.operands)
            table = operation.table
            name = self.name_function(operation) if table is None else self.name_table(table)
            return self._round(_Text(f"{name}({passed})"))
        operands = [self._print(operand) for operand in expression.operands]
        if expression.operation is Operation.NEGATE:
            # -3 is a literal, -(3) an operation.
            is_literal = isinstance(expression.operands[0], Constant)
            bare = operands[0].precedence == _ATOM and not operands[0].signed and not is_literal
            return _Text(f"-{operands[0].text}" if bare else f"-({operands[0].text})", signed=True)
        precedence, symbol = expression.operation.precedence, expression.operation.symbol
        left, right = operands
        # The left operand is grouped only if it binds less tightly; the right one also if it binds
        # equally, because a - (b + c) and a*(b/c) differ from a - b + c and a*b/c. A minus sign may
        # lead a product: (-x)*y (C, Python) and -(x*y) (Fortran) round alike.
        if left.precedence < precedence:
            left = _Text(f"({left.text})")
        if right.precedence <= precedence or right.signed:
            right = _Text(f"({right.text})")
        spaced = f" {symbol} " if expression.operation.kind == "add" else symbol
        return self._round(_Text(f"{left.text}{spaced}{right.text}", precedence, left.signed))

    def _round(self, text: _Text) -> _Text:
        """Put an operation's text into a call of the function `rounding`, unless that is empty."""
        return _Text(f"{self.rounding}({text.text})") if self.rounding else text


def print_program(program: Program) -> str:
    """Return a program in the text form of `--dump-ir`, with a newline at the end."""
    listing = write_statements(program)
    lines = [f"program {program.name}"]
    lines += [f"input {_declaration(argument)}" for argument in program.inputs]
    for output in program.outputs:
        lines.append(
            f"{'status' if output.argument.is_status else 'output'} {_declaration(output.argument)}"
        )
    printer = TextPrinter()
    for table in program.tables:
        entries = ", ".join(map(printer.print_literal, table.entries))
        lines.append(f"table {table.name} {_quote(table.meaning)} = {entries}")
    for block in listing.blocks:
        lines.append(f"section {_quote(block.title)}")
        lines += [f"  {printer.print_statement(statement)}" for statement in block.statements]
    for output, values in listing.results:
        stored = ", ".join(printer.print_expression(value) for value in values)
        lines.append(f"result {output.argument.name} = {stored}")
    return "\n".join(lines) + "\n"


def format_number(value: Exact) -> str:
    """Return an exact number in the text form of `--dump-ir`.

    A number with at most 17 decimal digits is written as a decimal, for example `9.81`. All other
    numbers are written in braces, such as `{1/3}`.
    """
    if value.is_rational:
        # The flag Inexact reports that the quotient has more than 17 digits.
        with localcontext(Context(prec=17)) as context:
            fraction = value.to_fraction()
            decimal = Decimal(fraction.numerator) / fraction.denominator
            if not context.flags[Inexact]:
                return str(decimal).lower().replace("e+", "e")
    return "{" + str(value).replace(" ", "") + "}"


def _declaration(argument: Argument) -> str:
    """Return an argument as `name[shape] "meaning" "units"`, with equal units written once."""
    shape = ", ".join(str(size) for size in argument.shape)
    units = argument.units[:1] if len(set(argument.units)) == 1 else argument.units
    return f"{argument.name}[{shape}] " + " ".join(
        _quote(text) for text in (argument.meaning, *units)
    )


def _quote(text: str) -> str:
    """Return a text in double quotes, with backslashes, quotes and newlines escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class TextPrinter(ExpressionPrinter):
    """Printer of expressions and statements in the text form of `--dump-ir`."""

    def print_literal(self, value: Exact) -> str:
        """Return an exact number in the text form, such as `9.81` or `{1/3}`."""
        return format_number(value)

    def print_name(self, name: str) -> str:
        """Return the name unchanged, as the text form has no decoration of names."""
        return name

    def print_element(self, element: Element) -> str:
        """Return an argument's element in the text form, such as `q[0]`, with the index from 0."""
        return f"{element.argument}[{element.index}]"

    def name_function(self, operation: Operation) -> str:
        """Return the text form's word for an operation printed as a call, such as `abs`."""
        return str(operation.value)

    def print_statement(self, statement: Statement) -> str:
        """Return a statement as one line of the text form, without indentation."""
        expression = self.print_expression(statement.expression)
        if isinstance(statement, SineCosine):
            return f"{statement.sine or '_'}, {statement.cosine or '_'} = sincos({expression})"
        if isinstance(statement, Assignment):
            return f"{statement.name} = {expression}"
        return f"{self.print_element(statement.place)} = {expression}"
