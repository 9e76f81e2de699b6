"""Routine -> C: its declaration, its statements, and how it is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynagen.ir.interface import PARAMS, STATUS
from dynagen.ir.program import Argument, Element, Operation
from dynagen.languages.c.vocabulary import HELPERS, MATH_FUNCTIONS, REAL_TYPES, RESERVED
from dynagen.languages.printing import WIDTH, Paragraph, Printer, break_line
from dynagen.languages.routine import Routine, StateLoop
from dynagen.numbers.exact import Exact
from dynagen.real import Real

_INDENT = "    "


class CPrinter(Printer):
    """Prints a routine as C.

    Attributes:
        status_name: the legal name of the status; empty if nothing can fail.
    """

    def __init__(self, routine: Routine, real: Real, type_name: str, macro: str) -> None:
        """Name what the routine needs.

        Args:
            routine: what is printed.
            real: type of its numbers.
            type_name: what C code calls that type.
            macro: what the macros for sine and cosine start with.
        """
        self._type = type_name
        self._macro = macro
        _, self._literal_suffix, self._function_suffix = REAL_TYPES[real]
        super().__init__(routine, real, RESERVED | {type_name})
        self.status_name = self.names[STATUS] if self.signature.can_fail else ""

    def literal(self, value: Exact) -> str:
        """A number with the suffix of its type."""
        return self.decimal(value) + self._literal_suffix

    def element(self, element: Element) -> str:
        """An element of a flat array."""
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        """A function of <math.h>, or a helper of the file."""
        helper = HELPERS.get(operation)
        return helper.name if helper else MATH_FUNCTIONS[operation] + self._function_suffix

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """A constant of its own."""
        yield from self._statement(f"const {self._type} {name} = {expression};")

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Call the header's macros, which users may replace."""
        if sine and cosine:
            yield f"{_INDENT}{self._type} {sine}, {cosine};"
            yield from self._statement(f"{self._macro}_SINCOS({angle}, {sine}, {cosine});")
        elif sine:
            yield from self.assign(sine, f"{self._macro}_SIN({angle})")
        elif cosine:
            yield from self.assign(cosine, f"{self._macro}_COS({angle})")

    def stores(self) -> Paragraph:
        """Store the results, after everything else has been read."""
        status = self.status()
        statuses = [] if status is None else [f"{_INDENT}const int {self.status_name} = {status} > 0 ? 0 : 1;"]
        reads, stores = self.buffered_results()
        return Paragraph("Results", (*statuses, *reads, *(f"{_INDENT}{place} = {value};" for place, value in stores)))

    def prototype(self) -> str:
        """The declaration of a routine for one state, without semicolon."""
        parameters = [self._declaration(argument, "const ") for argument in self.signature.inputs]
        parameters += [self._declaration(output) for output in self.signature.results]
        return _declared("int" if self.signature.can_fail else "void", self.routine.symbol, parameters)

    def loop(self, loop: StateLoop) -> str:
        """The function that calls a kernel for every state."""
        count, state = self.table.claim("count"), self.table.claim("state")
        results = list(self.signature.results)
        parameters = [f"size_t {count}"]
        parameters += [f"const {self._type} *{self.names[argument.name]}" for argument in self.signature.inputs]
        parameters += [f"{self._type} *{self.names[argument.name]}" for argument in results]
        arguments = [f"{self.names[each.name]} + {each.size}*{state}" for each in (*self.signature.inputs, *results)]
        call = f"{loop.kernel}({', '.join(arguments)});"
        if self.signature.can_fail:
            parameters.append(f"int *{self.status_name}")
            call = f"{self.status_name}[{state}] = {call}"
        head = f"{_INDENT}for (size_t {state} = 0; {state} < {count}; {state}++) {{"
        lines = [_declared("void", self.routine.symbol, parameters), "{", head, 2 * _INDENT + call, _INDENT + "}", "}"]
        return "\n".join(lines)

    def example(self) -> str:
        """A call, with its arrays declared; run-time parameters have been prepared before."""
        given = [argument for argument in self.signature.inputs if argument.name != PARAMS]
        inputs = [f"{self._declaration(argument)} = {{{_at_rest(argument)}}};" for argument in given]
        outputs = [f"{self._declaration(output)};" for output in self.signature.results]
        arguments = ", ".join(self.names[argument.name] for argument in self.signature.arguments if not argument.is_status)
        call = f"{self.routine.symbol}({arguments});"
        if self.signature.can_fail:
            call = f"const int {self.status_name} = {call}"
        return "\n".join([*inputs, *outputs, call])

    def _declaration(self, argument: Argument, qualifier: str = "") -> str:
        return f"{qualifier}{self._type} {self.names[argument.name]}[{argument.size}]"

    def _statement(self, text: str) -> Iterator[str]:
        yield from break_line(_INDENT + text, 2 * _INDENT)


def _at_rest(argument: Argument) -> str:
    """The initial values of an array up to the last that is not zero."""
    return ", ".join(str(int(index in argument.ones)) for index in range(max(argument.ones, default=0) + 1))


def _declared(returned: str, symbol: str, parameters: Sequence[str]) -> str:
    """The head of a function, with parameters below each other where the line ends."""
    lines = [f"{returned} {symbol}("]
    indent = " " * len(lines[0])
    for position, parameter in enumerate(parameters):
        text = parameter + (", " if position < len(parameters) - 1 else ")")
        if position and len(lines[-1]) + len(text) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text
    return "\n".join(lines)
