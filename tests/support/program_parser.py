"""Parse the text form of programs that `ir.text.print_program` writes; strict, so that no test says
what it does not mean.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from math import prod

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.operation import make_lookup
from dynagen.ir.program import FUNCTIONS, Argument, Operation, Output, Program
from dynagen.ir.tables import Table
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact

_TOKEN = re.compile(r"\s*(?:(\d[\d.]*(?:e[+-]?\d+)?)|(\{[^{}]*\})|([A-Za-z_][A-Za-z0-9_]*)|(.))")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_DECLARATION = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\[((?:\d+(?:, *\d+)*)?)\] *(.*)")
_TABLE = re.compile(r'table (\w+) ("(?:[^"\\]|\\.)*") = (.*)')
_ASSIGNMENT = re.compile(r"(\w+)(?:, (\w+))? = (.*)")
_TERM = re.compile(r"([+-]?)(\d+(?:/\d+)?)(?:\*sqrt\(([236])\))?")
_BINARY = {operation.symbol: operation for operation in Operation if operation.symbol}
_FUNCTIONS = {function.value: function for function in FUNCTIONS}


def parse_program(text: str) -> Program:
    """Read a program.

    Raises:
        InvalidProgramError: names the line that cannot be read, or the rule that the program
            breaks.
    """
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.strip()
        if content and not content.startswith("#"):
            try:
                reader.read(content)
            except InvalidProgramError as error:
                raise InvalidProgramError(f"line {number}: {error}: {content}") from None
    return validate(reader.finish())


def parse_number(text: str) -> Exact:
    """Read a number as `text.format_number` writes it.

    Raises:
        ValueError: it is none.
    """
    if not text.startswith("{"):
        return Exact(Fraction(text))
    content = text[1:-1]
    terms = list(_TERM.finditer(content))
    if not terms or "".join(term[0] for term in terms) != content:
        raise ValueError(f"{text} is not an exact number")
    total = Exact(0)
    for sign, factor, root in (term.groups() for term in terms):
        value = Exact(Fraction(factor)) * Exact(int(root or 1)).sqrt()
        total = total - value if sign == "-" else total + value
    return total


class _Reader:
    """Reads line by line; the builder comes to life when the declarations are complete."""

    def __init__(self) -> None:
        self._name = ""
        self._inputs: list[Argument] = []
        self._outputs: list[Argument] = []
        self._results: dict[str, tuple[int, ...]] = {}
        self._values: dict[str, int] = {}
        self._tables: dict[str, Operation] = {}
        self._started: Builder | None = None
        self._tokens: list[str] = []

    @property
    def _builder(self) -> Builder:
        if self._started is None:
            self._started = Builder(self._name, self._inputs)
        return self._started

    def read(self, line: str) -> None:
        if assignment := _ASSIGNMENT.fullmatch(line):
            self._assign(assignment[1], assignment[2], assignment[3])
            return
        if table := _TABLE.fullmatch(line):
            entries = tuple(self._entry(text) for text in table[3].split(", "))
            self._tables[table[1]] = make_lookup(Table(table[1], entries, _strings(table[2])[0]))
            return
        keyword, _, rest = line.partition(" ")
        match keyword:
            case "program":
                self._name = rest
            case "input" | "output" | "status":
                if self._started is not None:
                    raise InvalidProgramError("arguments are declared before the first section")
                argument = replace(_argument(rest), is_status=keyword == "status")
                (self._inputs if keyword == "input" else self._outputs).append(argument)
            case "section":
                title = _strings(rest)
                if len(title) != 1:
                    raise InvalidProgramError('expected `section "title"`')
                self._builder.begin_section(title[0])
            case "result":
                name, equals, expressions = rest.partition(" = ")
                if (
                    not equals
                    or name not in [argument.name for argument in self._outputs]
                    or name in self._results
                ):
                    raise InvalidProgramError(
                        "expected `result output = values`, once for every output"
                    )
                self._results[name] = self._expressions(expressions)
            case _:
                raise InvalidProgramError("expected `name = expression`")

    def finish(self) -> Program:
        missing = [
            argument.name for argument in self._outputs if argument.name not in self._results
        ]
        if missing:
            raise InvalidProgramError(f"no result for {', '.join(missing)}")
        return self._builder.finish(
            Output(argument, self._results[argument.name]) for argument in self._outputs
        )

    def _assign(self, target: str, second: str | None, text: str) -> None:
        if second is not None:
            if not text.startswith("sincos(") or not text.endswith(")"):
                raise InvalidProgramError("expected `sine, cosine = sincos(angle)`")
            angle = self._expression(text.removeprefix("sincos(").removesuffix(")"))
            for name, operation in ((target, Operation.SINE), (second, Operation.COSINE)):
                if name != "_":
                    self._define(name, self._builder.emit(operation, angle))
            return
        value = self._expression(text)
        self._define(
            target,
            value if self._builder.can_name(value) else self._builder.emit(Operation.COPY, value),
        )

    def _define(self, name: str, value: int) -> None:
        self._builder.give_name(value, name)
        self._values[name] = value

    def _expression(self, text: str) -> int:
        values = self._expressions(text)
        if len(values) != 1:
            raise InvalidProgramError("expected one expression")
        return values[0]

    def _expressions(self, text: str) -> tuple[int, ...]:
        self._tokens = [
            next(part for part in match.groups() if part) for match in _TOKEN.finditer(text.strip())
        ][::-1]
        values = [self._sum(0)]
        while self._tokens:
            self._expect(",")
            values.append(self._sum(0))
        return tuple(values)

    def _sum(self, level: int) -> int:
        """Precedence climbing; every operator groups from the left."""
        value = self._atom()
        while (
            self._tokens
            and (found := _BINARY.get(self._tokens[-1])) is not None
            and found.precedence > level
        ):
            self._tokens.pop()
            value = self._builder.emit(found, value, self._sum(found.precedence))
        return value

    def _atom(self) -> int:
        token = self._next()
        if token == "(":
            value = self._sum(0)
            self._expect(")")
            return value
        if token == "-":
            if self._tokens and (self._tokens[-1][0].isdigit() or self._tokens[-1][0] == "{"):
                return self._builder.add_constant(-self._number(self._next()))
            return self._builder.emit(Operation.NEGATE, self._atom())
        if token[0].isdigit() or token[0] == "{":
            return self._builder.add_constant(self._number(token))
        function = _FUNCTIONS.get(token) or self._tables.get(token)
        if function and self._tokens and self._tokens[-1] == "(":
            return self._call(function)
        if self._tokens and self._tokens[-1] == "[":
            self._expect("[")
            index = self._next()
            self._expect("]")
            if not index.isdigit():
                raise InvalidProgramError(f"{index} is not an index")
            return self._builder.add_element(token, int(index))
        if token not in self._values:
            raise InvalidProgramError(f"{token} is not defined")
        return self._values[token]

    def _call(self, function: Operation) -> int:
        self._expect("(")
        operands = [self._sum(0)]
        for _ in range(function.operand_count - 1):
            self._expect(",")
            operands.append(self._sum(0))
        self._expect(")")
        return self._builder.emit(function, *operands)

    def _entry(self, text: str) -> Exact:
        return -self._number(text[1:]) if text.startswith("-") else self._number(text)

    def _number(self, text: str) -> Exact:
        try:
            return parse_number(text)
        except (ValueError, ZeroDivisionError):
            raise InvalidProgramError(f"{text} is not a number") from None

    def _next(self) -> str:
        if not self._tokens:
            raise InvalidProgramError("the line ends too early")
        return self._tokens.pop()

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise InvalidProgramError(f"expected {token}, found {found}")


def _strings(text: str) -> list[str]:
    return [
        re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), found)
        for found in _STRING.findall(text)
    ]


def _argument(text: str) -> Argument:
    match = _DECLARATION.fullmatch(text)
    if match is None:
        raise InvalidProgramError('expected `name[size] "meaning" "unit"`')
    shape = tuple(int(size) for size in re.findall(r"\d+", match[2]))  # none of a scalar
    meaning, *units = _strings(match[3]) or [""]
    if len(units) == 1:
        units = units * prod(shape)
    return Argument(match[1], shape, tuple(units), meaning)
