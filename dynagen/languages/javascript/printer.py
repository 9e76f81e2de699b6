"""Routine -> JavaScript: its statements, and how it is called."""

from __future__ import annotations

from collections.abc import Iterator

from dynagen.ir.program import STATUS, Element, Operation
from dynagen.ir.statements import Store
from dynagen.languages.printing import Printer, break_line
from dynagen.languages.routine import Routine
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT, Real

_INDENT = "  "
ARRAYS = {DOUBLE: "Float64Array", FLOAT: "Float32Array"}
"""The typed array of a real type."""
# ECMAScript 2024, section 12.7.2, in strict mode as modules are, and what global names a kernel would hide.
_WORDS = """
    arguments as async await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for from function get if implements import in infinity instanceof interface let meta nan new null of package
    private protected public return set static super switch target this throw true try typeof undefined var void while with
    yield
"""
# A prefix is the name of a module too, beside which programs call these.
WORDS = {"JavaScript": frozenset({*_WORDS.split(), "console", "process"})}
RESERVED = frozenset({*WORDS["JavaScript"], "math", "fround"})
"""Names that nothing else may have."""
_FUNCTIONS = {
    Operation.SINE: "Math.sin",
    Operation.COSINE: "Math.cos",
    Operation.SQRT: "Math.sqrt",
    Operation.ABSOLUTE: "Math.abs",
    Operation.SIGN: "Math.sign",
    Operation.HYPERBOLIC_TANGENT: "Math.tanh",
    Operation.EXPONENTIAL: "Math.exp",
    Operation.MINIMUM: "Math.min",
    Operation.MAXIMUM: "Math.max",
}


class JavaScriptPrinter(Printer):
    """Prints a routine as JavaScript, which computes in double: float is every result rounded to it; names may be `taken`.

    The product, sum, quotient or square root of floats, computed in double and then rounded, is what float arithmetic gives
    (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3), 1995).
    """

    aliasing = True

    def __init__(self, routine: Routine, real: Real, *taken: str) -> None:
        super().__init__(routine, real, RESERVED.union(taken))
        self.rounding = "fround" if real is FLOAT else ""
        self.numbers = frozenset(
            argument.name for argument in self.signature.inputs if not argument.shape
        )

    def literal(self, value: Exact) -> str:
        """The shortest decimal that reads back, as double, as the number of the routine's type."""
        return repr(float(self.real.nearest(value)))

    def element(self, element: Element) -> str:
        """An element of a flat array, or an input that is a number."""
        if element.argument in self.numbers:
            return self.names[element.argument]
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        """A function of Math; its sign, minimum and maximum keep NaN."""
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """A constant of its own."""
        yield from break_line(f"{_INDENT}const {name} = {expression};", 2 * _INDENT)

    def statuses(self) -> list[str]:
        """The lines that say whether all went well, and return that; none if nothing can fail."""
        status, name = self.status(), self.names.get(STATUS)
        return (
            []
            if status is None
            else [f"{_INDENT}const {name} = {status} > 0 ? 0 : 1;", f"{_INDENT}return {name};"]
        )

    def store(self, store: Store) -> Iterator[str]:
        """An assignment to an element of a result."""
        yield from break_line(
            f"{_INDENT}{self.element(store.place)} = {self.expression(store.value)};", 2 * _INDENT
        )

    def conversions(self) -> list[str]:
        """Lines that make numbers of the inputs that are numbers, which callers may have in arrays of one, or rounds them."""
        names = [
            self.names[argument.name]
            for argument in self.signature.inputs
            if argument.name in self.numbers
        ]
        return [
            f"{_INDENT}{name} = {f'{self.rounding}({name})' if self.rounding else f'+{name}'};"
            for name in names
        ]

    def parameters(self) -> list[str]:
        """Legal names of what the function takes."""
        return [
            self.names[argument.name]
            for argument in self.signature.arguments
            if not argument.is_status
        ]
