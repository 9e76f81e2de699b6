"""Batch kernels in C: many states side by side in vectors of GNU C, and their files.

A batch kernel has the statements of the kernel for one state, with vectors for numbers. A vector
holds one number for each of its lanes, and a lane is a state. A private header has the functions
that batch kernels share. It also has the function that computes sines and cosines of several angles
in one step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagen.codegen import documentation
from dynagen.codegen.languages.c.printer import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    STEP,
    CPrinter,
    declare_function,
)
from dynagen.codegen.naming import prefixed_symbol, read_elements
from dynagen.codegen.package import VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Paragraph, break_line, helpers_of
from dynagen.codegen.routine import LaneLoop, Routine, over_lanes
from dynagen.codegen.templating import fill
from dynagen.codegen.trigonometry import REACH, angles_first, constants
from dynagen.ir.program import FUNCTIONS, PARAMS, Element, Operation
from dynagen.ir.statements import Apply, Constant, Expression, SineCosine, Store
from dynagen.ir.symbols import Symbol
from dynagen.numbers.real import FLOAT, Real


def trig_header(package: Package) -> SourceFile:
    """Print the private header of kernels for one state."""
    text = fill(
        "c/trig.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=documentation.origin(package),
        reach=REACH,
        core=sincos(package, "vector"),
    )
    return SourceFile(f"src/{package.prefix}_trig.h", text)


def sincos(package: Package, vector: str) -> str:
    """Return the function `<prefix>_sincos_<vector>`, which computes a vector of angles.

    The function for one state (`vector`) itself looks for angles beyond the range of the
    polynomials.

    Args:
        package: package whose prefix and type the function has.
        vector: name of the vector type without the prefix; always a vector of doubles.
    """
    text = fill(
        "c/sincos.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        type=vector,
        tested=vector == "vector",
        shift=1.5 * 2**52,
        **constants(package.real),
    )
    return text.rstrip("\n")


_INDENT = "    "
LANE_FUNCTIONS = {
    Operation.SINE: "sin",
    Operation.COSINE: "cos",
    **MATH_FUNCTIONS,
    **{operation: helper.name for operation, helper in HELPERS.items()},
}
# Further names that the private header defines, after the prefix.
_DEFINED = (
    "all",
    "bring_back",
    "lanes",
    "load",
    "real",
    "rows",
    "sincos",
    "states",
    "store",
    "store_status",
)


class CLanePrinter(CPrinter):
    """Printer of a batch kernel as three functions that call each other.

    The inner function computes a block of states: it loads the elements that it reads, computes the
    kernel's statements with vectors for numbers, and stores the results. The middle function calls
    it block by block. It copies the states of an incomplete block before, and the results after, so
    that nothing outside an array is read or written. The outer function is public and divides the
    states among threads.
    """

    aliasing = False  # all inputs are loaded before anything is stored

    def __init__(self, routine: Routine, real: Real, prefix: str, one_step: bool) -> None:
        """Claim all names of the batch kernel.

        Args:
            routine: a program in a loop over lanes.
            real: type of its numbers.
            prefix: prefix of all public names.
            one_step: whether sines and cosines of several angles are computed in one step.
        """
        self._prefix = prefix
        taken = (f"{prefix}_{name}" for name in (*_DEFINED, *LANE_FUNCTIONS.values()))
        super().__init__(routine, real, f"{prefix}_real", "", taken=taken)
        self._local = f"{prefix}_lanes"
        if one_step:
            self._steps, self.listing = prefix, angles_first(self.listing)
        read = read_elements(self.listing)
        # In the order of arguments and elements, for identical output on every run.
        self._loaded: Mapping[Element, str] = {
            element: self.table.claim(f"{self.names[element.argument]}_{element.index}")
            for argument in self.signature.inputs
            for element in (Element(argument.name, index) for index in range(argument.size))
            if element in read
        }
        # Arrays for the states of an incomplete block; run-time parameters need none.
        self._tails = {
            argument.name: self.table.claim(f"{self.names[argument.name]}_tail")
            for argument in (*self.signature.inputs, *self.signature.results)
            if argument.name != PARAMS
        }
        names = ("count", "stride", "first", "states", "row", "part")
        self._count, self._stride, self._first, self._states, self._row, self._part = map(
            self.table.claim, names
        )

    def element(self, element: Element) -> str:
        """Return the vector into which an element has been loaded."""
        return self._loaded[element]

    def function(self, operation: Operation) -> str:
        """Return a function of the private header."""
        return f"{self._prefix}_{LANE_FUNCTIONS[operation]}"

    def expression(self, expression: Expression) -> str:
        """Return an expression that is a vector, even if all lanes hold the same number."""
        text = super().expression(expression)
        # A store needs a vector even if the value is a constant.
        return text if _has_lanes(expression) else self._all(text)

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Yield calls of functions of the private header."""
        if sine and cosine:
            yield f"{_INDENT}{self._local} {sine}, {cosine};"
            yield from self._statement(f"{self._prefix}_sincos({angle}, &{sine}, &{cosine});")
        else:
            yield from super().assign_sine_cosine(angle, sine, cosine)

    def step(self, angles: Sequence[SineCosine]) -> Iterator[str]:
        """Yield one call for up to four angles, if these are computed together."""
        if not self._steps:
            yield from super().step(angles)
            return
        self._steps_taken += 1
        taken, sines, cosines = (
            self.table.claim(symbol(self._steps_taken).text) for symbol in STEP
        )
        count, values = len(angles), ", ".join(self.expression(angle.angle) for angle in angles)
        yield from self._statement(f"const {self._local} {taken}[{count}] = {{{values}}};")
        yield from self._statement(f"{self._local} {sines}[{count}], {cosines}[{count}];")
        yield from self._statement(f"{self._prefix}_sincos({count}, {taken}, {sines}, {cosines});")
        for name, array, place in self.found_in(angles, sines, cosines):
            yield from self.assign(name, f"{array}[{place}]")

    def loads(self) -> Paragraph:
        """Return the lines that load all elements that are read."""
        # Unused parameters are cast to void against compiler warnings.
        rows_read = any(element.argument != PARAMS for element in self._loaded)
        lines = [
            f"{_INDENT}(void){name};"
            for name in (*self.unread_inputs(), *([] if rows_read else [self._row]))
        ]
        for element, name in self._loaded.items():
            array = self.names[element.argument]
            if element.argument == PARAMS:
                lines.extend(self.assign(name, self._all(f"{array}[{element.index}]")))
            else:
                lines.extend(
                    self.assign(name, f"{self._prefix}_load({array}, {element.index}, {self._row})")
                )
        return Paragraph("Inputs", tuple(lines))

    def whole(self) -> list[Paragraph]:
        """Return all statements of a block; it loads everything before it stores anything."""
        return [self.loads(), *super().whole()]

    def store(self, store: Store) -> Iterator[str]:
        """Yield a call of the function that stores a vector."""
        value, array = self.expression(store.value), self.names[store.place.argument]
        yield from self._statement(
            f"{self._prefix}_store({value}, {array}, {store.place.index}, {self._stride});"
        )

    def statuses(self) -> list[str]:
        """Return the call that stores the statuses of existing states; empty without a status."""
        if (status := self.status()) is None:
            return []
        return list(
            self._statement(
                f"{self._prefix}_store_status({status}, {self.status_name}, {self._states});"
            )
        )

    def block_head(self) -> str:
        """Return the head of the function that computes a block of states."""
        inputs = [
            f"const {self._type} *{self.names[argument.name]}" for argument in self.signature.inputs
        ]
        results = [
            f"{self._type} *{self.names[argument.name]}" for argument in self.signature.results
        ]
        status = [f"int *{self.status_name}", f"size_t {self._states}"] if self.status_name else []
        parameters = [f"size_t {self._row}", *inputs, f"size_t {self._stride}", *results, *status]
        return declare_function(
            f"{self._prefix.upper()}_INLINE void", block_symbol(self.routine), parameters
        )

    def call(self) -> str:
        """Return a call, for documentation."""
        names = [self.names[argument.name] for argument in self.signature.arguments]
        return f"{self.routine.symbol}({', '.join([self._count, self._stride, *names])})"

    def range_head(self) -> str:
        """Return the head of the function that computes a range of states."""
        return self.head(
            f"{self._prefix.upper()}_CLONED void",
            _range_symbol(self.routine),
            [self._count, self._stride],
        )

    def range_lines(self) -> list[str]:
        """Return its body, a loop over blocks."""
        lanes, symbol = f"{self._prefix.upper()}_LANES", block_symbol(self.routine)
        tails = [
            f"{tail}[{self.arguments[name].size}*{lanes}]" for name, tail in self._tails.items()
        ]
        body = [
            f"const size_t {self._states} = {self._prefix}_states({self._count} - {self._first});",
            f"const size_t {self._row} = {self._states} < {lanes} ? {lanes} : {self._stride};",
            *break_line(f"{self._type} {', '.join(tails)};", _INDENT, WIDTH - 2 * len(_INDENT)),
        ]
        passed = [self._row]
        for argument in self.signature.inputs:
            name, tail = self.names[argument.name], self._tails.get(argument.name)
            rows = f"{name} + {self._first}, {argument.size}, {self._stride}, {self._states}"
            passed.append(f"{self._prefix}_rows({rows}, {tail})" if tail else name)
        passed.append(self._row)
        after = []
        for each in self.signature.results:
            place, tail = f"{self.names[each.name]} + {self._first}", self._tails[each.name]
            passed.append(f"{self._states} < {lanes} ? {tail} : {place}")
            rows = f"{tail}, {each.size}, {self._stride}, {self._states}, {place}"
            after.append(f"{self._prefix}_bring_back({rows});")
        passed += [f"{self.status_name} + {self._first}", self._states] if self.status_name else []
        return [
            _INDENT + line for line in self._loop_by(lanes, [*body, *_call(symbol, passed), *after])
        ]

    def public_lines(self) -> list[str]:
        """Return the body of the public function: one range, or a parallel loop over ranges."""
        symbol, names = (
            _range_symbol(self.routine),
            [self.names[argument.name] for argument in self.signature.inputs],
        )
        # Without threads one call computes all states.
        if not (isinstance(self.routine.loop, LaneLoop) and self.routine.loop.threads):
            return [
                _INDENT + line
                for line in _call(symbol, [self._count, self._stride, *names, *self._stored()])
            ]
        part, shared = f"{self._prefix.upper()}_PART", self.names.get(PARAMS)
        shifted = [
            name if name == shared else f"{name} + {self._first}"
            for name in (*names, *self._stored())
        ]
        rest = f"{self._count} - {self._first}"
        body = [f"const size_t {self._part} = {rest} < {part} ? {rest} : {part};"]
        body += _call(symbol, [self._part, self._stride, *shifted])
        # Loops with an unsigned variable need OpenMP 3.0 (May 2008).
        pragma = [
            "#if defined(_OPENMP) && _OPENMP >= 200805",
            f"#pragma omp parallel for if ({self._count} > {part})",
            "#endif",
        ]
        return [*pragma, *(_INDENT + line for line in self._loop_by(part, body))]

    def _loop_by(self, step: str, body: Iterable[str]) -> list[str]:
        """Return a loop over the states, `step` at a time."""
        first = self._first
        head = f"for (size_t {first} = 0; {first} < {self._count}; {first} += {step}) {{"
        return [head, *(_INDENT + line for line in body), "}"]

    def _stored(self) -> list[str]:
        """Return the names of the arrays that are stored to."""
        return [self.names[argument.name] for argument in self.signature.outputs]

    def _all(self, number: str) -> str:
        return f"{self._prefix}_all({number})"


def block_symbol(routine: Routine) -> str:
    """Return the name of the function that computes a block: one state for each lane."""
    return f"{routine.symbol}_block"


def _range_symbol(routine: Routine) -> str:
    return f"{routine.symbol}_range"


def _has_lanes(expression: Expression) -> bool:
    """Return whether an expression is a vector: it reads an input or calls a header function."""
    match expression:
        case Constant():
            return False
        # Arithmetic of constants and scalars stays scalar; header functions return vectors.
        case Apply(operation, operands):
            return operation in FUNCTIONS or any(map(_has_lanes, operands))
    return True


def _call(function: str, passed: Sequence[str]) -> list[str]:
    """Return a call, with one argument per line if it is too long for one line."""
    line = f"{function}({', '.join(passed)});"
    if len(line) <= WIDTH - 2 * len(_INDENT):
        return [line]
    return [
        f"{function}(",
        *(f"{_INDENT}{each}," for each in passed[:-1]),
        f"{_INDENT}{passed[-1]});",
    ]


@dataclass(frozen=True)
class BatchFunction:
    """A batch kernel for the templates."""

    kernel: Kernel
    symbol: str
    call: str
    prototype: str
    explained: str
    block_head: str
    paragraphs: list[Paragraph]
    range_head: str
    range_lines: list[str]
    public_lines: list[str]
    extra: tuple[Symbol, ...]


@dataclass(frozen=True)
class _LaneFunction:
    """A function that is computed lane by lane: name without prefix, and function it calls."""

    name: str
    called: str
    parameters: tuple[str, ...]


def batch_functions(package: Package) -> list[BatchFunction]:
    """Return the batch kernels, printed; empty if there are none."""
    return [_function(package, kernel) for kernel in package.batch_kernels]


def batch_path(package: Package, kernel: Kernel) -> str:
    """Return the file of a batch kernel, its own or the one file of all; empty if there is none."""
    if not package.has_batch(kernel):
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_batch.c"


def print_batch(package: Package, functions: list[BatchFunction]) -> Iterator[SourceFile]:
    """Yield the private header and the files that include it; nothing without batch kernels."""
    if not functions:
        return
    operations = {
        instruction.operation
        for function in functions
        for instruction in function.kernel.program.instructions
    }
    shared = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "origin": documentation.origin(package),
    }
    one_step, wide = package.trig == VECTOR, package.real is FLOAT
    # Sines and cosines of floats are computed in vectors of doubles with half the lanes.
    vector = "wide" if wide else "lanes"
    header = fill(
        "c/lanes.h.j2",
        **shared,
        one_step=one_step,
        wide=wide,
        vector=vector,
        reach=REACH,
        core=sincos(package, vector) if one_step else "",
        helpers=helpers_of(HELPERS, operations),
        functions=[
            function
            for operation, function in _lane_functions(package).items()
            if operation in operations
        ],
        trigonometry=not operations.isdisjoint((Operation.SINE, Operation.COSINE)),
        can_fail=any(function.kernel.program.can_fail for function in functions),
        threads=package.threads,
    )
    yield SourceFile(f"src/{package.prefix}_lanes.h", header)
    # One group of functions for each file.
    for group in [functions] if package.single_file else [[function] for function in functions]:
        extra = dict.fromkeys(symbol for function in group for symbol in function.extra)
        symbols = documentation.symbol_lines([function.kernel for function in group], *extra)
        text = fill(
            "c/batch.c.j2",
            **shared,
            symbols=documentation.comment_block(symbols, " * "),
            functions=group,
        )
        yield SourceFile(batch_path(package, group[0].kernel), text)


def _lane_functions(package: Package) -> dict[Operation, _LaneFunction]:
    """Return the functions that are computed lane by lane."""
    suffix = REAL_TYPES[package.real].function_suffix
    macros = {Operation.SINE: "sin", Operation.COSINE: "cos"} if package.trig != VECTOR else {}
    found = {
        each: _LaneFunction(name, f"{package.prefix}_{name}".upper(), ("x",))
        for each, name in macros.items()
    }
    found |= {
        each: _LaneFunction(name, name + suffix, ("x",)) for each, name in MATH_FUNCTIONS.items()
    }
    return found | {
        each: _LaneFunction(helper.name, helper.name, helper.parameters)
        for each, helper in HELPERS.items()
    }


def _function(package: Package, kernel: Kernel) -> BatchFunction:
    """Return a batch kernel for the templates."""
    kernel = kernel.in_one  # calls would pass vectors of all lanes in memory
    one_state = kernel.routine(prefixed_symbol(package.prefix, kernel.function))
    printer = CLanePrinter(
        over_lanes(one_state, package.threads), package.real, package.prefix, package.trig == VECTOR
    )
    return BatchFunction(
        kernel=kernel,
        symbol=printer.routine.symbol,
        call=printer.call(),
        prototype=printer.prototype(),
        explained=documentation.explained(package, kernel, " * "),
        block_head=printer.block_head(),
        paragraphs=printer.whole(),
        range_head=printer.range_head(),
        range_lines=printer.range_lines(),
        public_lines=printer.public_lines(),
        extra=printer.extra(),
    )
