"""Routines over lanes in C: many states side by side in vectors, and the files that hold them.

Sine and cosine of several angles in one step, in vectors of GNU C: text for the private headers.

Routines over lanes in C: as many states at once as a vector register has lanes, by the statements of the kernel for one.

Kernels over lanes as files: what they share in a private header, and a file for each or for all of them.
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
    declared,
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
    """The private header of kernels for one state."""
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
    """The function that takes a vector of angles: `<prefix>_sincos_<vector>`. That for one state looks for far angles itself.

    Args:
        package: whose names and type it is to have.
        vector: name of the type of vector, after the prefix; always of doubles.
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
# What else the header of lanes defines, after the prefix.
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
    """Prints a routine over lanes as three functions that call each other.

    The inner one computes a block of states: it loads the elements that it reads, has the kernel's statements with vectors for
    numbers, and stores. The middle one calls it block by block; the states of an incomplete block are copied first, and its
    results afterwards, so that nothing beyond an array is read or written. The outer one, which is public, divides the states
    among threads.
    """

    aliasing = False  # of what has been loaded

    def __init__(self, routine: Routine, real: Real, prefix: str, one_step: bool) -> None:
        """Name what the routine needs.

        Args:
            routine: a program in a loop over lanes.
            real: type of its numbers.
            prefix: what all public names start with.
            one_step: whether sines and cosines of several angles are taken in one step.
        """
        self._prefix = prefix
        taken = (f"{prefix}_{name}" for name in (*_DEFINED, *LANE_FUNCTIONS.values()))
        super().__init__(routine, real, f"{prefix}_real", "", taken=taken)
        self._local = f"{prefix}_lanes"
        if one_step:
            self._steps, self.listing = prefix, angles_first(self.listing)
        read = read_elements(self.listing)
        self._loaded: Mapping[Element, str] = {
            element: self.table.claim(f"{self.names[element.argument]}_{element.index}")
            for argument in self.signature.inputs
            for element in (Element(argument.name, index) for index in range(argument.size))
            if element in read
        }
        self._tails = {
            each.name: self.table.claim(f"{self.names[each.name]}_tail")
            for each in (*self.signature.inputs, *self.signature.results)
            if each.name != PARAMS
        }
        names = ("count", "stride", "first", "states", "row", "part")
        self._count, self._stride, self._first, self._states, self._row, self._part = map(
            self.table.claim, names
        )

    def element(self, element: Element) -> str:
        """The lanes that an element has been loaded into."""
        return self._loaded[element]

    def function(self, operation: Operation) -> str:
        """A function of the header of lanes."""
        return f"{self._prefix}_{LANE_FUNCTIONS[operation]}"

    def expression(self, expression: Expression) -> str:
        """An expression that has lanes, even where all of them hold one number."""
        text = super().expression(expression)
        return text if _has_lanes(expression) else self._all(text)

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Call functions of the header of lanes."""
        if sine and cosine:
            yield f"{_INDENT}{self._local} {sine}, {cosine};"
            yield from self._statement(f"{self._prefix}_sincos({angle}, &{sine}, &{cosine});")
        else:
            yield from super().assign_sine_cosine(angle, sine, cosine)

    def step(self, angles: Sequence[SineCosine]) -> Iterator[str]:
        """One call for up to four angles, if these are to be computed together."""
        if not self._steps:
            yield from super().step(angles)
            return
        self._steps_taken += 1
        taken, sines, cosines = (
            self.table.claim(symbol(self._steps_taken).text) for symbol in STEP
        )
        count, values = len(angles), ", ".join(self.expression(each.angle) for each in angles)
        yield from self._statement(f"const {self._local} {taken}[{count}] = {{{values}}};")
        yield from self._statement(f"{self._local} {sines}[{count}], {cosines}[{count}];")
        yield from self._statement(f"{self._prefix}_sincos({count}, {taken}, {sines}, {cosines});")
        for name, array, place in self.found_in(angles, sines, cosines):
            yield from self.assign(name, f"{array}[{place}]")

    def loads(self) -> Paragraph:
        """Load the elements that are read."""
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
        """All statements of a block; every element that is read is loaded before anything is stored."""
        return [self.loads(), *super().whole()]

    def store(self, store: Store) -> Iterator[str]:
        """A call of the function that stores a vector."""
        value, array = self.expression(store.value), self.names[store.place.argument]
        yield from self._statement(
            f"{self._prefix}_store({value}, {array}, {store.place.index}, {self._stride});"
        )

    def statuses(self) -> list[str]:
        """The call that stores whether all went well, of the states that there are; none if nothing can fail."""
        if (status := self.status()) is None:
            return []
        return list(
            self._statement(
                f"{self._prefix}_store_status({status}, {self.status_name}, {self._states});"
            )
        )

    def block_head(self) -> str:
        """The head of the function that computes a block of states."""
        inputs = [f"const {self._type} *{self.names[each.name]}" for each in self.signature.inputs]
        results = [f"{self._type} *{self.names[each.name]}" for each in self.signature.results]
        status = [f"int *{self.status_name}", f"size_t {self._states}"] if self.status_name else []
        parameters = [f"size_t {self._row}", *inputs, f"size_t {self._stride}", *results, *status]
        return declared(
            f"{self._prefix.upper()}_INLINE void", block_symbol(self.routine), parameters
        )

    def call(self) -> str:
        """A call, for documentation."""
        names = [self.names[each.name] for each in self.signature.arguments]
        return f"{self.routine.symbol}({', '.join([self._count, self._stride, *names])})"

    def range_head(self) -> str:
        """The head of the function that computes a range of states."""
        return self.head(
            f"{self._prefix.upper()}_CLONED void",
            _range_symbol(self.routine),
            [self._count, self._stride],
        )

    def range_lines(self) -> list[str]:
        """What it does: block after block."""
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
        for each in self.signature.inputs:
            place = f"{self.names[each.name]} + {self._first}, {each.size}, {self._stride}, {self._states}"
            tail = self._tails.get(each.name)
            passed.append(
                f"{self._prefix}_rows({place}, {tail})" if tail else self.names[each.name]
            )
        passed.append(self._row)
        after = []
        for each in self.signature.results:
            place, tail = f"{self.names[each.name]} + {self._first}", self._tails[each.name]
            passed.append(f"{self._states} < {lanes} ? {tail} : {place}")
            after.append(
                f"{self._prefix}_bring_back({tail}, {each.size}, {self._stride}, {self._states}, {place});"
            )
        passed += [f"{self.status_name} + {self._first}", self._states] if self.status_name else []
        return [
            _INDENT + line for line in self._loop_by(lanes, [*body, *_call(symbol, passed), *after])
        ]

    def public_lines(self) -> list[str]:
        """What it does: all states at once, or part after part where threads may take them."""
        symbol, names = (
            _range_symbol(self.routine),
            [self.names[each.name] for each in self.signature.inputs],
        )
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
        pragma = [
            "#if defined(_OPENMP) && _OPENMP >= 200805",
            f"#pragma omp parallel for if ({self._count} > {part})",
            "#endif",
        ]
        return [*pragma, *(_INDENT + line for line in self._loop_by(part, body))]

    def _loop_by(self, step: str, body: Iterable[str]) -> list[str]:
        """A loop over the states, so many at a time."""
        head = f"for (size_t {self._first} = 0; {self._first} < {self._count}; {self._first} += {step}) {{"
        return [head, *(_INDENT + line for line in body), "}"]

    def _stored(self) -> list[str]:
        """Names of the arrays that are stored to."""
        return [self.names[each.name] for each in self.signature.outputs]

    def _all(self, number: str) -> str:
        return f"{self._prefix}_all({number})"


def block_symbol(routine: Routine) -> str:
    """The function that computes a block of states: as many as a vector has lanes."""
    return f"{routine.symbol}_block"


def _range_symbol(routine: Routine) -> str:
    return f"{routine.symbol}_range"


def _has_lanes(expression: Expression) -> bool:
    """Whether it is a vector: what comes from an input, or from a function of the header of lanes."""
    match expression:
        case Constant():
            return False
        case Apply(operation, operands):
            return operation in FUNCTIONS or any(map(_has_lanes, operands))
    return True


def _call(function: str, passed: Sequence[str]) -> list[str]:
    """A call, with an argument a line where they would be too long for one."""
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
    """A kernel over lanes as the templates see it."""

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
    """A function of every lane by itself: its name after the prefix, and what it calls."""

    name: str
    called: str
    parameters: tuple[str, ...]


def batch_functions(package: Package) -> list[BatchFunction]:
    """The kernels over lanes, printed; none if there are none."""
    return [_function(package, kernel) for kernel in package.batch_kernels]


def batch_path(package: Package, kernel: Kernel) -> str:
    """The file of a kernel over lanes, empty if there is none: one a file, unless all are to be in one."""
    if not package.has_batch(kernel):
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_batch.c"


def print_batch(package: Package, functions: list[BatchFunction]) -> Iterator[SourceFile]:
    """The private header and the files that include it; nothing without functions."""
    if not functions:
        return
    operations = {
        each.operation for function in functions for each in function.kernel.program.instructions
    }
    shared = {
        "prefix": package.prefix,
        "macro": package.prefix.upper(),
        "origin": documentation.origin(package),
    }
    one_step, wide = package.trig == VECTOR, package.real is FLOAT
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
    """The functions that are called for every lane by itself."""
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
    kernel = kernel.in_one  # calls would hand on vectors of every lane in memory
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
