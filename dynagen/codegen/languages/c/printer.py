"""Printer of C: reserved words, real numbers, declarations and statements.

`CPrinter` prints a routine in one piece. `CCallPrinter` prints a kernel that calls a static
function of its file, with loops that add vectors between the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from dynagen.codegen.printing import (
    WIDTH,
    CallPrinter,
    Calls,
    Helper,
    Printer,
    break_line,
)
from dynagen.codegen.routine import PART, STRIDE, LaneLoop, Routine, StateLoop
from dynagen.codegen.trigonometry import angles_first
from dynagen.ir.composition import Stage
from dynagen.ir.program import PARAMS, STATUS, Argument, Element, Operation
from dynagen.ir.statements import SineCosine, Store
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT, Real

_C_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while
"""
_CPP_WORDS = """
    alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast consteval
    constexpr constinit co_await co_return co_yield decltype delete dynamic_cast explicit export
    false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public reinterpret_cast requires static_assert static_cast template this thread_local
    throw true try typeid typename using virtual wchar_t xor xor_eq
"""
# Functions of <math.h>, which a local variable would hide, and macros of compilers and systems.
_FUNCTIONS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
    fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2
    logb lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalb scalbn
    signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
_MACROS = "abs bit far huge interface linux max min near small unix"
# A prefix must not be `main`, nor `math` (its header would hide <math.h>), nor a target that every
# build has.
WORDS = {
    "C": frozenset(f"{_C_WORDS} main math".split()),
    "C++": frozenset(_CPP_WORDS.split()),
    "CMake": frozenset(["all", "clean", "help", "install", "package", "test"]),
}

# Functions of <math.h> that kernels call, with their names for double.
MATH_FUNCTIONS = {
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "fabs",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
}
TRIGONOMETRIC = (Operation.SINE, Operation.COSINE)


# <math.h> has no sign function; fmin and fmax return the other operand for a NaN.
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "x > 0 ? 1 : x < 0 ? -1 : x"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "x <= y ? x : y <= x ? y : x + y"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "x >= y ? x : y >= x ? y : x + y"),
}
RESERVED = frozenset(f"{_C_WORDS} {_CPP_WORDS} typeof main {_FUNCTIONS} {_MACROS}".split()).union(
    helper.name for helper in HELPERS.values()
)


class RealType(NamedTuple):
    """A type of real numbers: name, suffix of literals, suffix of functions of <math.h>."""

    name: str
    literal_suffix: str
    function_suffix: str


REAL_TYPES: dict[Real, RealType] = {
    DOUBLE: RealType("double", "", ""),
    FLOAT: RealType("float", "f", "f"),
}


_INDENT = "    "
_OF_STEPS = ("four", "sincos_four", "sincos_vector", "sincos_beyond")
STEP = (
    Symbol(
        "angles",
        "k",
        SCALAR,
        "up to four angles, whose sines and cosines are computed in one step",
        "rad",
    ),
    Symbol("sines", "k", SCALAR, "their sines"),
    Symbol("cosines", "k", SCALAR, "their cosines"),
)


class CPrinter(Printer):
    """Printer of a routine as C.

    Attributes:
        status_name: legal name of the status; empty if the routine cannot fail.
    """

    aliasing = True

    def __init__(
        self,
        routine: Routine,
        real: Real,
        type_name: str,
        macro: str,
        steps: str = "",
        taken: Iterable[str] = (),
    ) -> None:
        """Claim all names of the routine.

        Args:
            routine: routine to print.
            real: type of its numbers.
            type_name: C name of this type.
            macro: prefix of the macros for sine and cosine.
            steps: prefix of functions that compute several sines and cosines in one step; empty to
                compute them one by one.
            taken: names that the routine must not use.
        """
        self._type = self._local = type_name
        self._steps, self._steps_taken = steps, 0
        self._macro = macro
        _, self._literal_suffix, self._function_suffix = REAL_TYPES[real]
        # Local names must not hide macros, functions of <math.h>, or names of other kernels.
        super().__init__(
            routine,
            real,
            RESERVED.union(taken, [type_name], (f"{steps}_{name}" for name in _OF_STEPS if steps)),
        )
        if steps:
            self.listing = angles_first(self.listing)
        self.status_name = self.names[STATUS] if self.signature.can_fail else ""

    def literal(self, value: Exact) -> str:
        """Return a number with the suffix of its type."""
        return self.decimal(value) + self._literal_suffix

    def element(self, element: Element) -> str:
        """Return an element of a flat array."""
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        """Return a function of <math.h> or a helper of the file.

        Sine and cosine are macros, which users may replace.
        """
        if operation in TRIGONOMETRIC:
            return f"{self._macro}_{'SIN' if operation is Operation.SINE else 'COS'}"
        helper = HELPERS.get(operation)
        return helper.name if helper else MATH_FUNCTIONS[operation] + self._function_suffix

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the definition of a constant."""
        yield from self._statement(f"const {self._local} {name} = {expression};")

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Yield a call of the macro that computes both."""
        if sine and cosine:
            yield f"{_INDENT}{self._type} {sine}, {cosine};"
            yield from self._statement(f"{self._macro}_SINCOS({angle}, {sine}, {cosine});")
        else:
            yield from super().assign_sine_cosine(angle, sine, cosine)

    def store(self, store: Store) -> Iterator[str]:
        """Yield an assignment to an element of a result."""
        yield from self._statement(f"{self.element(store.place)} = {self.expression(store.value)};")

    def statuses(self) -> list[str]:
        """Return the line that computes the status; empty if the routine cannot fail."""
        status = self.status()
        return (
            []
            if status is None
            else [f"{_INDENT}const int {self.status_name} = {status} > 0 ? 0 : 1;"]
        )

    def prototype(self) -> str:
        """Return the declaration of a kernel or batch kernel, without semicolon."""
        if isinstance(self.routine.loop, LaneLoop):
            return self.head("void", self.routine.symbol, ["count", "stride"])
        return self.linked("")

    def linked(self, linkage: str) -> str:
        """Return the declaration of a kernel; `static ` as linkage limits it to its file."""
        parameters = [self._declaration(argument, "const ") for argument in self.signature.inputs]
        parameters += [self._declaration(output) for output in self.signature.results]
        return declare_function(
            f"{linkage}{'int' if self.signature.can_fail else 'void'}",
            self.routine.symbol,
            parameters,
        )

    def extra(self) -> tuple[Symbol, ...]:
        """Return the symbols of names that are not values of the program, after printing."""
        return (*self.copies, *(STEP if self._steps_taken else ()))

    def head(self, returned: str, symbol: str, sizes: Sequence[str]) -> str:
        """Return the head of a function on arrays of many states; sizes come first."""
        parameters = [f"size_t {name}" for name in sizes]
        parameters += [
            f"const {self._type} *{self.names[argument.name]}" for argument in self.signature.inputs
        ]
        parameters += [
            f"{self._type} *{self.names[argument.name]}" for argument in self.signature.results
        ]
        return declare_function(
            returned,
            symbol,
            [*parameters, *([f"int *{self.status_name}"] if self.status_name else [])],
        )

    def loop(self, loop: StateLoop) -> str:
        """Return the function that calls a kernel for every state."""
        if loop.side_by_side:
            return self._loop_side_by_side(loop.kernel)
        count, state = self.table.claim("count"), self.table.claim("state")
        results = list(self.signature.results)
        arguments = [
            f"{self.names[argument.name]} + {argument.size}*{state}"
            for argument in (*self.signature.inputs, *results)
        ]
        call = f"{loop.kernel}({', '.join(arguments)});"
        if self.signature.can_fail:
            call = f"{self.status_name}[{state}] = {call}"
        head = f"{_INDENT}for (size_t {state} = 0; {state} < {count}; {state}++) {{"
        lines = [
            self.head("void", self.routine.symbol, [count]),
            "{",
            head,
            2 * _INDENT + call,
            _INDENT + "}",
            "}",
        ]
        return "\n".join(lines)

    def _loop_side_by_side(self, kernel: str) -> str:
        """Return the function that copies a few states at a time for a batch kernel.

        It copies the results back after each call.
        """
        count, first, states = map(self.table.claim, ("count", "first", "states"))
        # Run-time parameters are shared by all states and keep their layout.
        rows = [
            argument
            for argument in (*self.signature.inputs, *self.signature.results)
            if argument.name != PARAMS
        ]
        sides = {
            argument.name: self.table.claim(f"{self.names[argument.name]}_side")
            for argument in rows
        }
        lines = [
            f"static {self._type} {sides[argument.name]}[{argument.size}*{STRIDE}];"
            for argument in rows
        ]
        lines.append(f"for (size_t {first} = 0; {first} < {count}; {first} += {PART}) {{")
        lines.append(
            f"{_INDENT}const size_t {states} ="
            f" {count} - {first} < {PART} ? {count} - {first} : {PART};"
        )
        passed = [states, str(STRIDE)]
        for argument in self.signature.inputs:
            name = f"{self.names[argument.name]} + {argument.size}*{first}"
            if argument in rows:
                lines.append(
                    f"{_INDENT}lay_out({states}, {argument.size}, {name}, {sides[argument.name]});"
                )
            passed.append(sides.get(argument.name, name))
        passed += [sides[argument.name] for argument in self.signature.results]
        passed += [f"{self.status_name} + {first}"] if self.status_name else []
        lines.append(f"{_INDENT}{kernel}({', '.join(passed)});")
        for each in self.signature.results:
            place = f"{self.names[each.name]} + {each.size}*{first}"
            lines.append(
                f"{_INDENT}bring_back({states}, {each.size}, {sides[each.name]}, {place});"
            )
        head = self.head("void", self.routine.symbol, [count])
        return "\n".join([head, "{", *(_INDENT + line for line in (*lines, "}")), "}"])

    def step(self, angles: Sequence[SineCosine]) -> Iterator[str]:
        """Yield one call for up to four angles, which are always doubles."""
        if not self._steps:
            yield from super().step(angles)
            return
        self._steps_taken += 1
        taken, sines, cosines = (
            self.table.claim(symbol(self._steps_taken).text) for symbol in STEP
        )
        # Steps compute in double for float kernels too.
        wide = self.real is not DOUBLE
        expressions = (self.expression(angle.angle) for angle in angles)
        values = ", ".join(f"(double)({each})" if wide else each for each in expressions)
        yield from self._statement(f"const {self._steps}_four {taken} = {{{values}}};")
        yield from self._statement(f"{self._steps}_four {sines}, {cosines};")
        yield from self._statement(
            f"{self._steps}_sincos_four({len(angles)}, &{taken}, &{sines}, &{cosines});"
        )
        for name, array, place in self.found_in(angles, sines, cosines):
            yield from self.assign(
                name, f"({self._type}){array}[{place}]" if wide else f"{array}[{place}]"
            )

    def _declaration(self, argument: Argument, qualifier: str = "") -> str:
        return f"{qualifier}{self._type} {self.names[argument.name]}[{argument.size}]"

    def _statement(self, text: str) -> Iterator[str]:
        yield from break_line(_INDENT + text, 2 * _INDENT)


def declare_function(returned: str, symbol: str, parameters: Sequence[str]) -> str:
    """Return the head of a function, with parameters aligned below each other."""
    lines = [f"{returned} {symbol}("]
    indent = " " * len(lines[0])
    for position, parameter in enumerate(parameters):
        text = parameter + (", " if position < len(parameters) - 1 else ")")
        if position and len(lines[-1]) + len(text) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text
    return "\n".join(lines)


class CCallPrinter(CallPrinter, CPrinter):
    """Printer of a function that consists of calls."""

    _index = ""  # the variable of loops over elements

    def before(self, calls: Calls) -> Iterator[str]:
        """Yield lines that compute the factors and declare the vectors."""
        yield from super().before(calls)
        self._index = self.table.claim("i")
        vectors = ", ".join(f"{self.names[name]}[{calls.size}]" for name in calls.vectors)
        first, *others = wrap(f"{self._type} {vectors};", WIDTH - 2 * len(_INDENT))
        yield from (_INDENT + first, *(2 * _INDENT + line for line in others))

    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """Yield a call, and the combined status of all calls so far."""
        call = f"{symbol}({', '.join([*taken, result])});"
        if self.signature.can_fail:
            call = f"{'int ' if first else ''}{self.status_name} {'=' if first else '|='} {call}"
        yield from self._statement(call)

    def sums(self, stage: Stage, size: int) -> Iterator[str]:
        """Yield a loop over elements.

        Outputs may be the same arrays as inputs. In every iteration they are stored after all sums
        have been computed.
        """
        yield f"{_INDENT}for (int {self._index} = 0; {self._index} < {size}; {self._index}++) {{"
        outputs = {output.name for output in self.signature.results}
        stores = []
        for term in stage.sums:
            name, value = self.names[term.name], self.sum_text(term)
            if term.name in outputs:
                # A sum that comes later may read an input that is the same array.
                stores.append((name, temporary := self.table.claim(f"{name}_i")))
                yield from self._in_loop(f"const {self._type} {temporary} = {value};")
            else:
                yield from self._in_loop(f"{name}[{self._index}] = {value};")
        for name, temporary in stores:
            yield from self._in_loop(f"{name}[{self._index}] = {temporary};")
        yield f"{_INDENT}}}"

    def scalar(self, name: str) -> str:
        """Return a factor, or an input of one number."""
        return f"{self.names[name]}[0]" if name in self.arguments else self.names[name]

    def vector(self, name: str) -> str:
        """Return the current element of a vector."""
        return f"{self.names[name]}[{self._index}]"

    def _in_loop(self, text: str) -> Iterator[str]:
        yield from break_line(2 * _INDENT + text, 3 * _INDENT)
