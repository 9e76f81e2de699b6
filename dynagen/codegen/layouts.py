"""Layouts of kernels for one state: one function, several parts, or calls of another function.

A layout turns a program into a function of the code tree (`tree.py`). The layout chooses all names
in a function, and decides where results are stored. If an output may be the same array as an input,
the layout also decides which input elements are copied. The layouts for many states and for several
cores are in `lanes.py` and `languages/c/cores.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby

from dynagen.codegen.naming import (
    NameTable,
    iterate_assigned_names,
    make_plain_text,
    read_arguments,
)
from dynagen.codegen.package import Calls
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import Segment as Part
from dynagen.codegen.segments import (
    Segmentation,
    copy_inputs,
    divide,
    iterate_runs,
    measure_length,
    store_early,
)
from dynagen.codegen.tree import (
    AngleStep,
    Call,
    ElementwiseLoop,
    Fill,
    Function,
    Node,
    Section,
    Segment,
    SegmentCall,
    StatusCode,
    Vectors,
)
from dynagen.codegen.trigonometry import AT_ONCE, move_angles_first
from dynagen.ir.composition import Stage, Sum
from dynagen.ir.program import Argument, Element, Operation, Signature
from dynagen.ir.statements import (
    Application,
    Assignment,
    Block,
    Constant,
    Expression,
    Leaf,
    Listing,
    Name,
    SineCosine,
    Statement,
    Store,
    write_statements,
)
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import Exact

STEP = (
    Symbol(
        "angles",
        "k",
        SCALAR,
        "up to four angles, whose sines and cosines are computed in one step",
        "rad",
    ),
    Symbol("sines", "k", SCALAR, "sines of the angles[k]"),
    Symbol("cosines", "k", SCALAR, "cosines of the angles[k]"),
)
"""Symbols of the three arrays of an `AngleStep`: angles, sines and cosines."""

APART, OWN, SHARED = "apart", "own", "shared"
"""Ways to compute sines and cosines: one by one (apart), or several in one call.

Such a call reads and fills arrays. Each call has its own arrays (own), or all calls use the same
arrays (shared).
"""


@dataclass(frozen=True)
class Conventions:
    """Rules of a language for names, results and angles in a function.

    Attributes:
        reserved: names that variables of a function must not have.
        aliasing: whether a caller may pass one array as an input and as an output.
        stores_last: whether a function stores results at its end instead of where it computes them.
        angles: way to compute sines and cosines. APART computes them one by one. OWN and SHARED
            compute several in one step. With OWN, every step has its own arrays; with SHARED, all
            steps share arrays.
        check: function that returns a given name unchanged, and raises an error if the language
            does not allow the name.
    """

    reserved: frozenset[str]
    aliasing: bool = False
    stores_last: bool = False
    angles: str = APART
    check: Callable[[str], str] = str


class Scope:
    """Names in one generated function, and the function's statements with these names.

    Attributes:
        table: all names that the function uses or must not use.
        signature: signature with the argument names that are legal in the language.
        arguments: mapping from an argument's name in the program to its legal name.
        names: mapping from the name of an argument or value in the program to its legal name.
        listing: statements with legal names.
        arrays: names of the arrays of angles, sines and cosines, if all `AngleStep` nodes share
            these arrays; otherwise empty.
    """

    def __init__(self, routine: Routine, conventions: Conventions) -> None:
        """Choose and reserve all names, and rename the statements of the routine.

        Names of arguments are reserved first, so that arguments keep their documented names.
        """
        self.conventions = conventions
        self.table = NameTable((*conventions.reserved, routine.symbol))
        # A declaration has no program, and claims the names of the arguments only.
        listing = Listing((), ()) if routine.program is None else write_statements(routine.program)
        self.arguments = {each.name: self.claim(each.name) for each in routine.signature.arguments}
        self.names = self.arguments | {
            name: self.claim(name) for name in iterate_assigned_names(listing)
        }
        self.signature = _rename_signature(routine.signature, self.arguments)
        self.listing = _rename_listing(listing, self.names, self.arguments)
        self._copies: dict[Symbol, None] = {}
        self._steps = 0
        self.arrays: tuple[str, ...] = ()
        if conventions.angles != APART:
            # Angles at the front of the function fill steps of several angles.
            self.listing = move_angles_first(self.listing)
        if conventions.angles == SHARED and any(map(_has_angles, self.listing.blocks)):
            self.arrays = tuple(self.claim(symbol.stem) for symbol in STEP)

    def claim(self, preferred: str) -> str:
        """Reserve and return a legal name: `preferred`, with underscores appended if necessary."""
        return self.conventions.check(self.table.claim(preferred))

    def copy(self, element: Element) -> str:
        """Reserve the name for a copy of an input element that is read after a result is stored.

        Without the copy, a result in the same array as the input could overwrite the element.
        """
        # All copies of an input share one entry in the table of names.
        array = element.argument.lower()
        meaning = f"copy of {element.argument}[k], read before results are stored"
        self._copies.setdefault(Symbol(f"{array}_", "k", SCALAR, meaning))
        return self.claim(f"{array}_{element.index}")

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Symbols (patterns and meanings of names) of input copies and of the arrays for angles."""
        return (*self._copies, *(STEP if self._steps else ()))

    @property
    def status(self) -> tuple[StatusCode, ...]:
        """Statement that computes the status code; empty if the function cannot fail."""
        return tuple(
            StatusCode(output.argument.name, values[0])
            for output, values in self.listing.results
            if output.argument.is_status
        )

    @property
    def unread(self) -> tuple[str, ...]:
        """Names of the inputs that the program does not read."""
        # Compilers warn of unused arguments: writers mark them.
        read = read_arguments(self.listing)
        return tuple(each.name for each in self.signature.inputs if each.name not in read)

    def make_section(self, block: Block) -> Section:
        """Return a block of statements as a section of the code tree.

        The sines and cosines of up to four (`AT_ONCE`) consecutive angles become one node.
        """
        return Section(make_plain_text(block.title), tuple(self._nodes(block.statements)))

    def _nodes(self, listed: Iterable[Statement]) -> Iterator[Node]:
        """Yield the nodes of the code tree for statements."""
        # Only neighbours are computed together: an angle may depend on an assignment in between.
        for are_angles, run in groupby(listed, lambda each: isinstance(each, SineCosine)):
            if not are_angles:
                yield from (each for each in run if not isinstance(each, SineCosine))
                continue
            angles = tuple(each for each in run if isinstance(each, SineCosine))
            for first in range(0, len(angles), AT_ONCE):
                yield AngleStep(angles[first : first + AT_ONCE], self._step_arrays())

    def _step_arrays(self) -> tuple[str, ...]:
        """Return names of arrays for the next call that computes several sines and cosines.

        They are the arrays of angles, sines and cosines.
        """
        if self.conventions.angles != OWN:
            return self.arrays
        self._steps += 1
        return tuple(self.claim(symbol(self._steps).text) for symbol in STEP)


def declare(routine: Routine, conventions: Conventions) -> Function:
    """Return a function with name and arguments but without statements, to print a declaration.

    Args:
        routine: name and arguments of the function.
        conventions: rules of the language for names.
    """
    return Function(routine.symbol, Scope(routine, conventions).signature)


def lay_out_state(
    routine: Routine, conventions: Conventions, longest: int | None = None
) -> Function:
    """Return the code tree of the function that computes one state, in segments if it is long.

    Args:
        routine: program to print, and the name of the function.
        conventions: rules of the language for names, results and angles.
        longest: number of operations and stores above which the function is divided into segments
            (functions that it calls); None for no division.
    """
    scope = Scope(routine, conventions)
    if longest is not None and measure_length(scope.listing) > longest:
        return lay_out_segments(routine.symbol, scope, divide(scope.listing, longest))
    if conventions.stores_last:
        stores: tuple[Node, ...] = (*scope.listing.stores, *scope.status)
        sections = [*map(scope.make_section, scope.listing.blocks), Section("Results", stores)]
    else:
        # Copies are needed only if an output may be the same array as an input.
        stored = store_early(scope.listing, scope.copy if conventions.aliasing else None)
        sections = [*map(scope.make_section, stored.blocks), Section("Status", scope.status)]
    return Function(
        routine.symbol,
        scope.signature,
        tuple(sections),
        values=tuple(iterate_assigned_names(scope.listing)),
        unread=scope.unread,
        arrays=scope.arrays,
        symbols=scope.symbols,
    )


def lay_out_segments(symbol: str, scope: Scope, segmentation: Segmentation) -> Function:
    """Return a function that calls its segments, which compute consecutive parts of the kernel."""
    if scope.conventions.aliasing:
        # An earlier segment may have stored results into an array that is also an input.
        segmentation = copy_inputs(segmentation, scope.copy)
    keeper, index = scope.claim("kept"), scope.claim("i")
    segments = tuple(
        _lay_out_segment(scope, segmentation, number, index)
        for number in range(1, len(segmentation.segments) + 1)
    )
    return Function(
        symbol,
        scope.signature,
        (Section("", (*map(SegmentCall, segments), *scope.status)),),
        unread=scope.unread,
        segments=segments,
        kept=segmentation.kept,
        keeper=keeper,
        arrays=scope.arrays,
        symbols=scope.symbols,
    )


def _lay_out_segment(scope: Scope, segmentation: Segmentation, number: int, index: str) -> Segment:
    """Return one segment (number from 1) of a kernel as a part of the code tree.

    `index` is the name for the index variable of loops.
    """
    part = segmentation.segments[number - 1]
    # Values of other segments live in a structure or array; the rest are local.
    kept = frozenset(segmentation.kept)
    # Only needed arguments are passed, against compiler warnings.
    used = {atom.argument for atom in part.read if isinstance(atom, Element)}
    stores = (*part.stores, *(each for each in part.statements if isinstance(each, Store)))
    used |= {place.argument for place, _ in stores}
    values = {atom.name for atom in part.read if isinstance(atom, Name)}.union(part.assigned)
    sections = [*map(scope.make_section, part.blocks)]
    if part.stores:
        sections.append(
            Section("Results", tuple(_fill(run, index) for run in iterate_runs(part.stores)))
        )
    return Segment(
        number,
        _title(part, number, len(segmentation.segments)),
        tuple(each.name for each in scope.signature.arguments if each.name in used),
        uses_kept=not kept.isdisjoint(values),
        assigns_kept=not kept.isdisjoint(part.assigned),
        assigned=tuple(name for name in part.assigned if name not in kept),
        sections=tuple(sections),
    )


def _fill(run: tuple[Store, ...], index: str) -> Store | Fill:
    """Return the only store of `run`, or a node of the code tree that stores all of `run`.

    The stores in `run` have equal values and consecutive elements. `index` is the name for the
    index variable of the node's loop.
    """
    (place, value), (last, _) = run[0], run[-1]
    if len(run) == 1:
        return run[0]
    assert isinstance(value, Constant)
    return Fill(place.argument, place.index, last.index, value, index)


def _title(part: Part, number: int, count: int) -> str:
    """Return the title of a segment, with the titles of its first and last block of statements.

    Segments are numbered from 1 to `count`.
    """
    titles = [make_plain_text(block.title) for block in part.blocks if block.title]
    sections = f"{titles[0]} ... {titles[-1]}" if len(titles) > 1 else "".join(titles)
    return f"Segment {number} of {count}" + (sections and f": {sections}")


def lay_out_calls(
    routine: Routine, conventions: Conventions, calls: Calls, called: str
) -> Function:
    """Return a function that calls another function several times.

    Between the calls, it computes weighted sums of vectors, as an integration step does.

    Args:
        routine: name and signature of the function; the routine needs no program.
        conventions: rules of the language for names, results and angles.
        calls: the calls, and the weighted sums of vectors between the calls.
        called: symbol of the function that is called.
    """
    scope = Scope(replace(routine, program=None), conventions)
    names = scope.names
    names |= {name: scope.claim(name) for name in (*calls.factors, *calls.vectors)}
    # Every call returns its own status; the function returns the largest of all.
    status = next((each.name for each in scope.signature.outputs if each.is_status), "")
    failed = scope.claim("failed") if status else ""
    index = scope.claim("i")
    composition = calls.composition
    factors = tuple(
        Assignment(
            names[factor.name],
            Application(
                Operation.MULTIPLY, (Constant(factor.number), _scalar(factor.scalar, scope))
            ),
        )
        for factor in composition.factors
    )
    # The first section has no title: it belongs to no stage.
    vectors = Vectors(tuple(names[name] for name in calls.vectors), calls.size)
    sections = [Section("", (*factors, vectors))]
    for number, stage in enumerate(composition.stages, start=1):
        given = tuple(names[stage.given.get(each.name, each.name)] for each in calls.program.inputs)
        call = Call(called, given, names[stage.result], status, failed if number > 1 else "")
        sums = _sum_vectors(stage, scope, calls.size, index)
        sections.append(Section(f"Stage {number} of {len(composition.stages)}", (call, sums)))
    return Function(
        routine.symbol,
        scope.signature,
        tuple(sections),
        tuple(names[each] for each in calls.factors),
    )


def _scalar(name: str, scope: Scope) -> Expression:
    """Return the expression that reads the scalar `name`: an input of one number, or a variable."""
    legal = scope.names[name]
    inputs = {argument.name for argument in scope.signature.inputs}
    return Element(legal, 0) if legal in inputs else Name(legal)


def _sum_vectors(stage: Stage, scope: Scope, size: int, index: str) -> ElementwiseLoop:
    """Return a loop that computes the weighted sums of vectors after a call of the function.

    For each index, all sums are computed before an output is stored, because an output may be the
    array of an input that a later sum reads.
    """
    outputs = {output.name for output in scope.signature.results}
    added: list[Assignment] = []
    stored: list[Assignment] = []
    vectors: set[str] = set()
    for term in stage.sums:
        name = target = scope.names[term.name]
        if scope.conventions.aliasing and name in outputs:
            target = scope.claim(f"{name}_i")
            stored.append(Assignment(name, Name(target)))
        added.append(Assignment(target, _sum(term, scope)))
        vectors.update(
            scope.names[each] for each in (term.name, term.base, *term.once, *term.twice)
        )
    return ElementwiseLoop((*added, *stored), frozenset(vectors), size, index)


def _sum(term: Sum, scope: Scope) -> Expression:
    """Return the expression of a sum of vectors, such as q + sixth*(qd + 2*(v2 + v3) + v4)."""

    def add(left: Expression, right: Expression) -> Expression:
        return Application(Operation.ADD, (left, right))

    def multiply(left: Expression, right: Expression) -> Expression:
        return Application(Operation.MULTIPLY, (left, right))

    def vectors(names: Iterable[str]) -> list[Expression]:
        return [Name(scope.names[name]) for name in names]

    terms = vectors(term.once)
    if term.twice:
        doubled = reduce(add, vectors(term.twice))
        # The order of terms is the order of rounding, which all languages share.
        terms.insert(1, multiply(Constant(Exact(2)), doubled))
    factor = _scalar(term.factor, scope)
    return add(Name(scope.names[term.base]), multiply(factor, reduce(add, terms)))


def _rename_signature(signature: Signature, names: Mapping[str, str]) -> Signature:
    """Return a signature with names that are legal in the language."""

    def rename(arguments: Iterable[Argument]) -> tuple[Argument, ...]:
        return tuple(replace(each, name=names[each.name]) for each in arguments)

    return replace(signature, inputs=rename(signature.inputs), outputs=rename(signature.outputs))


def _rename_listing(
    listing: Listing, names: Mapping[str, str], arguments: Mapping[str, str]
) -> Listing:
    """Return statements with legal names of values and arguments.

    `names` maps values and arguments in the program to their legal names. Arrays that are not in
    `arguments` keep their names.
    """

    def rename_leaf(leaf: Leaf) -> Leaf:
        match leaf:
            case Name(name):
                return Name(names[name])
            case Element(argument, index):
                return Element(arguments.get(argument, argument), index)
        return leaf

    def rename(expression: Expression) -> Expression:
        if isinstance(expression, Application):
            return Application(expression.operation, tuple(map(rename, expression.operands)))
        return rename_leaf(expression)

    def rename_statement(statement: Statement) -> Statement:
        match statement:
            case Assignment(name, expression):
                return Assignment(names[name], rename(expression))
            case SineCosine(angle, sine, cosine):
                return SineCosine(rename(angle), sine and names[sine], cosine and names[cosine])
        raise AssertionError("unexpected store: a listing contains only assignments")

    blocks = tuple(
        replace(block, statements=tuple(map(rename_statement, block.statements)))
        for block in listing.blocks
    )
    results = tuple(
        (
            replace(
                output,
                argument=replace(
                    output.argument, name=arguments.get(output.argument.name, output.argument.name)
                ),
            ),
            tuple(map(rename_leaf, values)),
        )
        for output, values in listing.results
    )
    return Listing(blocks, results)


def _has_angles(block: Block) -> bool:
    """Return whether a block of statements computes sines or cosines."""
    return any(isinstance(statement, SineCosine) for statement in block.statements)
