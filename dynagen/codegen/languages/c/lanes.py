"""Batch kernels in C: many states side by side in vectors of GNU C, and their files.

A batch kernel has the statements of the kernel for one state, but vectors in place of numbers. A
vector consists of lanes: one number for each of several states. A private header contains functions
that batch kernels share, among them the sines and cosines of several angles in one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dynagen.codegen import documentation
from dynagen.codegen.c_statements import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    declare_function,
    print_c_tables,
)
from dynagen.codegen.lanes import (
    LaneLayout,
    choose_tile_lines,
    has_lanes,
    is_zero,
    lay_out_lanes,
)
from dynagen.codegen.languages.c.writer import CSegment, CWriter, make_conventions
from dynagen.codegen.layouts import APART, OWN, declare
from dynagen.codegen.naming import prefix_symbol, wrap_text
from dynagen.codegen.package import VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Paragraph, find_helpers
from dynagen.codegen.routine import Routine, make_lane_routine
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import AngleStep, Segment
from dynagen.codegen.trigonometry import REACH, compute_constants
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Expression, SineCosine
from dynagen.ir.symbols import Symbol
from dynagen.ir.tables import Table
from dynagen.numbers.real import FLOAT, Real


def write_trig_header(package: Package) -> SourceFile:
    """Return the private C header with sines and cosines of up to four angles at once."""
    text = fill(
        "c/trig.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=documentation.describe_origin(package),
        reach=REACH,
        core=write_sincos(package, "vector"),
    )
    return SourceFile(f"src/{package.prefix}_trig.h", text)


def write_sincos(package: Package, vector: str) -> str:
    """Return C text of `<prefix>_sincos_<vector>`: sines and cosines of a vector of angles (rad).

    Args:
        package: package with the prefix and the number type of the function.
        vector: name of a type of vectors of doubles, without the prefix. If it is "vector", the
            function is for kernels of one state, and also tests for angles beyond the range of the
            polynomials.
    """
    text = fill(
        "c/sincos.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        type=vector,
        tested=vector == "vector",
        shift=1.5 * 2**52,
        **compute_constants(package.real),
    )
    return text.rstrip("\n")


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


class CLaneWriter(CWriter):
    """Writer of a batch kernel as three functions that call each other.

    The inner function computes a block: as many states as a vector has lanes. The middle function
    calls it block by block, and copies states to and from tiles (arrays of a few states) where
    necessary. The outer function is public and divides the states among threads. The template
    `batch_range.c.j2` contains the middle and the outer function.
    """

    def __init__(self, layout: LaneLayout, real: Real, prefix: str) -> None:
        super().__init__(layout.block, real, f"{prefix}_real")
        self.local, self.prefix, self.layout = f"{prefix}_lanes", prefix, layout
        self._names = layout.names
        self._zeros: list[str] = []

    def name_function(self, operation: Operation) -> str:
        """Return the name of the C function for an operation on vectors, in the private header."""
        return f"{self.prefix}_{LANE_FUNCTIONS[operation]}"

    def name_table(self, table: Table) -> str:
        """Return the name of the private function that looks up a table of constants in all lanes.

        The private header of batch kernels defines the function.
        """
        return f"{self.prefix}_{table.name}"

    def print_expression(self, expression: Expression) -> str:
        """Return the C text of an expression as a vector, even if all lanes hold one number."""
        text = super().print_expression(expression)
        # A store needs a vector even if the value is a constant.
        return text if has_lanes(expression) else self._all(text)

    def write_sine_cosine(self, angle: SineCosine) -> Iterator[str]:
        """Yield the call of a private function that computes sine and cosine of an angle (rad)."""
        if angle.sine and angle.cosine:
            # One call computes the two, which share the reduction of the angle.
            # Members of the structure are declared already.
            if local := [each for each in (angle.sine, angle.cosine) if each not in self._kept]:
                yield f"{self.indent}{self.local} {', '.join(local)};"
            results = (f"&{self.print_name(each)}" for each in (angle.sine, angle.cosine))
            passed = ", ".join([self.print_expression(angle.angle), *results])
            yield from self.write_statement(f"{self.prefix}_sincos({passed});")
        else:
            yield from super().write_sine_cosine(angle)

    def write_angle_step(self, step: AngleStep) -> Iterator[str]:
        """Yield one C call for the sines and cosines of up to four angles (rad) in all lanes."""
        if not step.arrays:
            yield from super().write_angle_step(step)
            return
        angles, sines, cosines = step.arrays
        count = len(step.angles)
        values = ", ".join(self.print_expression(angle.angle) for angle in step.angles)
        yield from self.write_statement(f"const {self.local} {angles}[{count}] = {{{values}}};")
        yield from self.write_statement(f"{self.local} {sines}[{count}], {cosines}[{count}];")
        yield from self.write_statement(
            f"{self.prefix}_sincos({count}, {angles}, {sines}, {cosines});"
        )
        for name, array, place in step.results:
            yield from self.assign(self.print_name(name), f"{array}[{place}]")

    def print_element(self, element: Element) -> str:
        """Return the C text of the vector that contains an input element in several states."""
        array, index = element.argument, element.index
        if array in self.layout.tiles:
            return f"{self.prefix}_load({array}, {index}, {self._names['row']})"
        return self._all(f"{array}[{index}]")

    def load(self, name: str, element: Element) -> Iterator[str]:
        """Yield the C definition of the vector `name`: an input element in several states."""
        yield from self.assign(name, self.print_element(element))

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a C call that stores a vector (a number per state) in an element of an output.

        For the constant zero nothing is yielded, because `write_block_paragraphs` prints the
        stores of zeros.
        """
        passed = f"{self.print_expression(value)}, {place.argument}, {place.index}"
        lines = self.write_statement(f"{self.prefix}_store({passed}, {self._names['stride']});")
        if is_zero(value):
            self._zeros += lines
        else:
            yield from lines

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield a C call that stores the status code of each lane, except those of unused lanes."""
        yield from self.write_statement(
            f"{self.prefix}_store_status({value}, {name}, {self._names['states']});"
        )

    def write_block_paragraphs(self) -> list[Paragraph]:
        """Return the sections of the body of the C function that computes a state in each lane."""
        # Unused parameters are cast to void against compiler warnings.
        first, *others = self.write_paragraphs()
        rows_read = any(load.element.argument in self.layout.tiles for load in self.layout.loads)
        unused = [
            *self.tree.unread,
            *([] if rows_read else [self._names["row"]]),
            *([] if self.layout.zeros else [self._names["zeros"]]),
        ]
        casts = (f"{self.indent}(void){name};" for name in unused)
        keeper = self.write_keeper() if self.tree.segments else []
        paragraphs = [replace(first, lines=(*casts, *keeper, *first.lines)), *others]
        if self._zeros:
            # Tiles leave out zeros: these rows are filled at their places.
            stores = (self.indent + line for line in self._zeros)
            head = f"{self.indent}if ({self._names['zeros']}) {{"
            paragraphs.append(Paragraph("Zeros", (head, *stores, self.indent + "}")))
        return paragraphs

    def write_segment_prototype(self, segment: Segment) -> str:
        """Return the C declaration of the static function for a segment of a long batch kernel."""
        types = dict.fromkeys(self._inputs, f"const {self.type} *")
        types |= {self._names[size]: "size_t " for size in ("row", "stride")}
        parameters = [
            f"{types.get(name, f'{self.type} *')}{name}" for name in self._list_passed(segment)
        ]
        if segment.uses_kept:
            # The structure is no argument of the kernel: stores of results do not change it.
            constant = "" if segment.assigns_kept else "const "
            parameters.append(f"{constant}struct {self._tag} *__restrict {self.tree.keeper}")
        head = f"{self.prefix.upper()}_LANE_SEGMENT void"
        return declare_function(head, self.name_segment(segment), parameters)

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield the lines of the C call of a segment's function."""
        passed = [*self._list_passed(segment), *([self.tree.keeper] if segment.uses_kept else [])]
        yield from self.write_statement(f"{self.name_segment(segment)}({', '.join(passed)});")

    @property
    def _inputs(self) -> list[str]:
        return [each.name for each in self.tree.signature.inputs]

    def _list_passed(self, segment: Segment) -> list[str]:
        """Return the names of the arguments that are passed to a segment's function, in order.

        Inputs come first, then results. If an input is copied into a tile (array for a few states),
        the distance of a tile's rows precedes the inputs. The stride precedes the results.
        """
        inputs = [each for each in segment.arguments if each in self._inputs]
        results = [each for each in segment.arguments if each not in inputs]
        return [
            *([self._names["row"]] if any(each in self.layout.tiles for each in inputs) else []),
            *inputs,
            *([self._names["stride"]] if results else []),
            *results,
        ]

    def write_batch_prototype(self) -> str:
        """Return the C declaration of the public batch function, without semicolon."""
        return self.write_head("void", self.tree.symbol, ["count", "stride"])

    def write_block_head(self) -> str:
        """Return the C declaration of the function that computes a block of states.

        A block has as many states as a vector has lanes.
        """
        signature, status = self.tree.signature, self.tree.status
        inputs = [f"const {self.type} *{argument.name}" for argument in signature.inputs]
        results = [f"{self.type} *{argument.name}" for argument in signature.results]
        statuses = [f"int *{status}", f"size_t {self._names['states']}"] if status else []
        parameters = [
            f"int {self._names['zeros']}",
            f"size_t {self._names['row']}",
            *inputs,
            f"size_t {self._names['stride']}",
            *results,
            *statuses,
        ]
        return declare_function(
            f"{self.prefix.upper()}_INLINE void", name_block(self.tree.symbol), parameters
        )

    def write_batch_call(self) -> str:
        """Return a C call of the public batch function, with argument names, for documentation."""
        sizes = [self._names["count"], self._names["stride"]]
        return f"{self.tree.symbol}({', '.join([*sizes, *self.arguments])})"

    def write_range_head(self) -> str:
        """Return the C declaration of the function that computes a range of consecutive states."""
        return self.write_head(
            f"{self.prefix.upper()}_CLONED void",
            name_range(self.tree.symbol),
            [self._names["count"], self._names["stride"]],
        )

    def _all(self, number: str) -> str:
        return f"{self.prefix}_all({number})"


def write_batch_prototype(routine: Routine, real: Real) -> str:
    """Return the C declaration of a batch kernel for the number type `real`, without semicolon."""
    type_name = REAL_TYPES[real].name
    function = declare(routine, make_conventions(type_name))
    return CWriter(function, real, type_name).write_head(
        "void", routine.symbol, ["count", "stride"]
    )


def name_block(batch: str) -> str:
    """Return `<batch>_block`, a batch kernel's function for a block of states.

    A block consists of as many states as a vector has lanes.
    """
    return f"{batch}_block"


def name_range(batch: str) -> str:
    """Return `<batch>_range`, the function that computes consecutive states of a batch kernel."""
    return f"{batch}_range"


def _choose_tile(layout: LaneLayout) -> int:
    """Return the number of cache lines per row of a tile (array for copies of a few states).

    The number is 0 if copying into tiles saves no time.
    """
    rows = sum(each.size for each in layout.block.signature.arguments if each.name in layout.tiles)
    return choose_tile_lines(layout.count_rows(), rows)


@dataclass(frozen=True)
class BatchFunction:
    """C texts of a batch kernel, for the jinja2 templates.

    Attributes:
        kernel: kernel for one state, with all statements in one function.
        symbol: name of the public function.
        call: call of the public function with its argument names.
        prototype: declaration of the public function, without semicolon.
        explained: text with formula, operation counts, verified error bound, and notes on the code.
        block_head: declaration of the function that computes as many states as a vector has lanes.
        structure: lines that declare the C structure of the vectors that segments share.
        segments: functions that compute the parts of a long kernel; empty for other kernels.
        paragraphs: statements of the function with the head `block_head`.
        range_head: declaration of the function that computes consecutive states.
        layout: code tree and names of the batch kernel.
        tile_lines: number of cache lines per row of a tile (array for copies of a few states); 0 if
            states are not copied.
        zeros: mapping from the name of a table to the lines of the table's text. The table contains
            the indices of the elements of an output that are always zero.
        extra: meanings of names that are not in the program, such as copies of input elements.
    """

    kernel: Kernel
    symbol: str
    call: str
    prototype: str
    explained: str
    block_head: str
    structure: list[str]
    segments: list[CSegment]
    paragraphs: list[Paragraph]
    range_head: str
    layout: LaneLayout
    tile_lines: int
    zeros: dict[str, list[str]]
    extra: tuple[Symbol, ...]


@dataclass(frozen=True)
class _LaneFunction:
    """A C function of vectors, which calls the function `called` for the number in each lane."""

    name: str
    called: str
    parameters: tuple[str, ...]


def write_batch_functions(package: Package) -> list[BatchFunction]:
    """Return C texts for the jinja2 templates, for each batch kernel of a package; may be empty."""
    return [_function(package, kernel) for kernel in package.batch_kernels]


def find_batch_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the C file with the batch kernel of a kernel.

    The path is empty if the kernel has no batch kernel.
    """
    if not package.has_batch(kernel):
        return ""
    return f"src/{package.prefix}{'' if package.single_file else f'_{kernel.function}'}_batch.c"


def print_batch(package: Package, functions: list[BatchFunction]) -> Iterator[SourceFile]:
    """Yield the private C header and the C files of batch kernels, if there are batch kernels."""
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
        "origin": documentation.describe_origin(package),
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
        core=write_sincos(package, vector) if one_step else "",
        helpers=find_helpers(HELPERS, operations),
        tables=print_c_tables(operations, package.real),
        functions=[
            function
            for operation, function in _lane_functions(package).items()
            if operation in operations
        ],
        trigonometry=not operations.isdisjoint((Operation.SINE, Operation.COSINE)),
        can_fail=any(function.kernel.program.can_fail for function in functions),
        threads=package.threads,
        segments=any(function.segments for function in functions),
    )
    yield SourceFile(f"src/{package.prefix}_lanes.h", header)
    # One group of functions for each file.
    for group in [functions] if package.single_file else [[function] for function in functions]:
        extra = dict.fromkeys(symbol for function in group for symbol in function.extra)
        symbols = documentation.describe_symbols([function.kernel for function in group], *extra)
        text = fill(
            "c/batch.c.j2",
            **shared,
            threads=package.threads,
            symbols=documentation.format_comment(symbols, " * "),
            functions=group,
        )
        yield SourceFile(find_batch_path(package, group[0].kernel), text)


def _lane_functions(package: Package) -> dict[Operation, _LaneFunction]:
    """Return the functions of vectors that batch kernels call, by the operation they compute.

    Each calls a function of one number for the number in each lane.
    """
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
    """Return the C texts, for the jinja2 template, of the batch kernel that belongs to `kernel`."""
    kernel = kernel.in_one  # calls would pass vectors of all lanes in memory
    routine = make_lane_routine(kernel.make_routine(prefix_symbol(package.prefix, kernel.function)))
    taken = (f"{package.prefix}_{name}" for name in (*_DEFINED, *LANE_FUNCTIONS.values()))
    # All inputs are loaded before anything is stored, so that outputs may be the same arrays.
    rules = make_conventions(f"{package.prefix}_real", taken=taken, aliasing=False)
    rules = replace(rules, angles=OWN if package.trig == VECTOR else APART)
    layout = lay_out_lanes(routine, rules, package.longest)
    writer = CLaneWriter(layout, package.real, package.prefix)
    return BatchFunction(
        kernel=kernel,
        symbol=routine.symbol,
        call=writer.write_batch_call(),
        prototype=writer.write_batch_prototype(),
        explained=documentation.explain_kernel(package, kernel, " * "),
        block_head=writer.write_block_head(),
        structure=writer.write_structure(),
        segments=writer.write_segments(),
        paragraphs=writer.write_block_paragraphs(),
        range_head=writer.write_range_head(),
        layout=layout,
        tile_lines=_choose_tile(layout),
        zeros={
            table: wrap_text(", ".join(map(str, elements)), WIDTH - 2 * len(writer.indent))
            for table, elements in layout.zeros.values()
        },
        extra=layout.block.symbols,
    )
