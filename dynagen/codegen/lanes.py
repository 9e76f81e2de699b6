"""Layouts of batch kernels, which compute a block of states at a time, one state in each lane.

A lane is the place of one number in a vector register; a batch kernel computes one state in each
lane. `lay_out_lanes` is for languages with vector types: the batch kernel has the statements of the
kernel for one state, with vectors in place of numbers. The batch kernel loads all inputs of a block
of states before it stores a result. `lay_out_lane_loops` is for languages whose compilers vectorise
loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dynagen.codegen.layouts import Conventions, Scope, lay_out_segments
from dynagen.codegen.naming import iterate_assigned_names, read_arguments, read_elements
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import divide, measure_length, replace_inputs, store_early
from dynagen.codegen.tree import Function, Load, Section
from dynagen.codegen.trigonometry import Round, divide_into_rounds
from dynagen.ir.program import PARAMS, Argument, Element, Operation, Signature
from dynagen.ir.statements import (
    Application,
    Assignment,
    Block,
    Constant,
    Expression,
    Listing,
    Name,
    SineCosine,
    Statement,
    Store,
    find_names_read,
    iterate_nodes,
)


@dataclass(frozen=True)
class LaneLayout:
    """A batch kernel: the kernel for one state with vectors in place of numbers.

    Attributes:
        block: function that computes as many states as a vector has lanes, in segments if it is
            long. Inputs are loaded before a result is stored.
        loads: the definitions of the vectors with inputs.
        names: mapping from the preferred name of a loop variable or size to its unique name.
        tiles: mapping from the name of an argument to the unique name of the argument's tile. A
            tile is an array for copies of the argument's elements in a few states. Unread inputs
            and run-time parameters, which all states share, have no tile.
        zeros: mapping from the name of an output to a pair: the unique name of a table, and the
            indices in this table. They are the indices of the output's elements that are zero in
            every state. Outputs without such elements are absent.
        shared: name of the argument with values computed from run-time parameters, which all states
            share; empty without parameters.
    """

    block: Function
    loads: tuple[Load, ...]
    names: Mapping[str, str]
    tiles: Mapping[str, str]
    zeros: Mapping[str, tuple[str, tuple[int, ...]]]
    shared: str

    def count_rows(self) -> int:
        """Return the number of input and output elements of one state that are copied into tiles.

        Elements of inputs that all states share, and of inputs that are not read, do not count.
        """
        loads = sum(load.element.argument in self.tiles for load in self.loads)
        return loads + sum(result.size for result in self.block.signature.results)


LINE, PAGE = 64, 4096
"""Size of a cache line, and distance of rows that compete for the same cache lines, in bytes."""
_TILE_BYTES = 80 * 1024  # limit of the tiles on the stack
# With fewer rows the copies cost more than the misses that they avoid.
_FEWEST_ROWS = 23
# Longer runs of a row are not faster. An odd number spreads the rows of a tile over all cache sets.
_MOST_LINES = 9

_NAMES = ("count", "stride", "first", "state", "states", "row", "part", "aside", "zeros")


def lay_out_lanes(
    routine: Routine, conventions: Conventions, longest: int | None = None
) -> LaneLayout:
    """Return the code tree of a batch kernel, whose values are vectors over several states.

    Args:
        routine: program for one state, and symbol of the batch kernel.
        conventions: rules of the language for names, results and angles.
        longest: number of operations and stores above which the function for a block of states is
            divided into segments (functions that it calls); None for no division.
    """
    scope = Scope(routine, conventions)
    signature = scope.signature
    read = read_elements(scope.listing)
    # In the order of arguments and elements, for identical output on every run.
    loads = tuple(
        Load(scope.claim(f"{argument.name}_{index}"), Element(argument.name, index))
        for argument in signature.inputs
        for index in range(argument.size)
        if Element(argument.name, index) in read
    )
    tiles = {
        argument.name: scope.claim(f"{argument.name}_tile")
        for argument in (*signature.inputs, *signature.results)
        if argument.name not in (scope.names.get(PARAMS), *scope.unread)
    }
    names = {name: scope.claim(name) for name in _NAMES}
    unread = scope.unread
    # Inputs are in registers before any result is stored, so an output may be an input's array.
    stored = store_early(scope.listing, None)
    scope.listing = _read_registers(stored, {load.element: Name(load.name) for load in loads})
    if longest is not None and measure_length(scope.listing) > longest:
        block = replace(_lay_out_long_block(routine.symbol, scope, loads, longest), unread=unread)
    else:
        sections = [*map(scope.make_section, scope.listing.blocks)]
        block = Function(
            routine.symbol,
            signature,
            (Section("Inputs", loads), *sections, Section("Status", scope.status)),
            values=tuple(iterate_assigned_names(scope.listing)),
            unread=unread,
            symbols=scope.symbols,
        )
    zeros = {
        argument: (scope.claim(f"{argument}_zeros"), elements)
        for argument, elements in _find_zeros(block).items()
    }
    return LaneLayout(block, loads, names, tiles, zeros, scope.names.get(PARAMS, ""))


def _lay_out_long_block(symbol: str, scope: Scope, loads: Sequence[Load], longest: int) -> Function:
    """Return a function for a block of states that calls its segments, one after the other.

    After these calls, the function stores zero in the elements of results that are always zero.
    `loads` define the vectors with inputs in `scope`; the first segment contains them.
    """
    inputs = Block("Inputs", tuple(Assignment(load.name, load.element) for load in loads))
    blocks, zeros = [inputs], list[Store]()
    for block in scope.listing.blocks:
        others: list[Statement] = []
        for each in block.statements:
            if isinstance(each, Store) and is_zero(each.value):
                zeros.append(each)
            else:
                others.append(each)
        blocks.append(replace(block, statements=tuple(others)))
    listing = Listing(tuple(blocks), scope.listing.results)
    function = lay_out_segments(symbol, scope, divide(listing, longest))
    return replace(function, sections=(*function.sections, Section("Zeros", tuple(zeros))))


def choose_tile_lines(used: int, rows: int = 0) -> int:
    """Return the number of cache lines in each row of a tile.

    A tile is an array with copies of the arguments in a few states; a row contains one element of
    an argument in these states. The result is 0 if copying into tiles takes longer than it saves.

    Args:
        used: number of rows that the kernel reads or computes.
        rows: number of rows of the tile; 0 for as many rows as `used`.
    """
    if used < _FEWEST_ROWS:
        return 0
    lines = min(_TILE_BYTES // (LINE * (rows or used)), _MOST_LINES)
    return lines - (lines % 2 == 0) if lines else 0


def _find_zeros(block: Function) -> dict[str, tuple[int, ...]]:
    """Return the row-major indices, ascending, of each output's elements that are always zero.

    Outputs without such elements are absent.
    """
    found: dict[str, list[int]] = {}
    for node in (node for section in block.sections for node in section.nodes):
        if isinstance(node, Store) and is_zero(node.value):
            found.setdefault(node.place.argument, []).append(node.place.index)
    return {argument: tuple(sorted(elements)) for argument, elements in found.items()}


def is_zero(value: Expression) -> bool:
    """Return whether an expression is the constant zero."""
    return isinstance(value, Constant) and value.value == 0


def has_lanes(expression: Expression) -> bool:
    """Return whether an expression in a batch kernel is a vector, with a number for each state."""
    match expression:
        case Constant():
            return False
        # Arithmetic of constants and scalars stays scalar; functions return vectors.
        case Application(operation, operands):
            return operation.is_function or any(map(has_lanes, operands))
    return True


def _read_registers(listing: Listing, loaded: Mapping[Element, Name]) -> Listing:
    """Return statements in which vector registers replace the loaded elements of inputs."""
    blocks = tuple(
        replace(
            block,
            statements=tuple(replace_inputs(statement, loaded) for statement in block.statements),
        )
        for block in listing.blocks
    )
    results = tuple(
        (
            output,
            tuple(
                loaded.get(value, value) if isinstance(value, Element) else value
                for value in values
            ),
        )
        for output, values in listing.results
    )
    return Listing(blocks, results)


_CALLED = (Operation.HYPERBOLIC_TANGENT, Operation.EXPONENTIAL)
"""Operations that library functions compute, because processors have no instructions for them."""


@dataclass(frozen=True)
class LaneLoops:
    """A batch kernel as a sequence of loops over lanes, and of calls between the loops.

    A lane is the place of one state in a block of states. Compilers vectorise a loop over lanes if
    it calls no function. A value that is passed from one loop to another, or to a call, is an array
    with one element for each lane.

    Attributes:
        signature: arguments with names that are legal in the language.
        rounds: the loops in order. Each item contains the statements of one loop, and the calls
            that follow this loop. The last loop stores the results.
        results: statements of the last loop that store results and status codes.
        values: names of all values in the order of their computation.
        arrays: names of the values with one element for each lane, including the status code.
        passed: arguments that the kernel reads or fills.
        unread: names of the inputs that are not read.
        tiles: mapping from the name of an argument to the unique name of the argument's tile. A
            tile is an array for copies of the argument's elements in a few states. Arguments that
            all states share have no tile.
        names: mapping from the preferred name of a loop variable or size to its unique name.
        shared: name of the argument with values computed from run-time parameters, which all states
            share; empty without parameters.
    """

    signature: Signature
    rounds: tuple[tuple[tuple[Section, ...], tuple[Statement, ...]], ...]
    results: Section
    values: tuple[str, ...]
    arrays: frozenset[str]
    passed: tuple[Argument, ...]
    unread: tuple[str, ...]
    tiles: Mapping[str, str]
    names: Mapping[str, str]
    shared: str


def lay_out_lane_loops(routine: Routine, conventions: Conventions, longest: int) -> LaneLoops:
    """Return a batch kernel as loops over lanes (states), which compilers can vectorise.

    Args:
        routine: program for one state, and symbol of the batch kernel; without a program, the
            result only serves to declare the kernel.
        conventions: rules of the language for names, results and angles.
        longest: number of operations above which a loop is divided, because the compile time of a
            loop grows faster than its length.
    """
    scope = Scope(routine, conventions)
    signature, listing = scope.signature, scope.listing
    # A loop that calls a library function is not vectorised, hence rounds of loops and calls.
    found = _divide_rounds(divide_into_rounds(listing, _is_call), longest)
    status = {each.name for each in signature.outputs if each.is_status}
    read = read_arguments(listing)
    passed = tuple(
        each for each in signature.arguments if each.name in read or each in signature.outputs
    )
    shared = scope.names.get(PARAMS, "")
    tiles = {each.name: scope.claim(f"{each.name}_tile") for each in passed if each.name != shared}
    names = ("count", "stride", "row", "first", "full", "part", "lane", "unneeded")
    return LaneLoops(
        signature,
        tuple((tuple(map(scope.make_section, each.blocks)), each.calls) for each in found),
        Section("Results", (*listing.stores, *scope.status)),
        values=tuple(iterate_assigned_names(listing)),
        arrays=frozenset(_find_arrays(found, listing) | status),
        passed=passed,
        unread=scope.unread,
        tiles=tiles,
        names={name: scope.claim(name) for name in names},
        shared=shared,
    )


def _is_call(statement: Statement) -> bool:
    """Return whether a statement computes a sine, cosine, tanh or exp by a library function."""
    return isinstance(statement, SineCosine) or any(
        isinstance(node, Application) and node.operation in _CALLED
        for node in iterate_nodes(statement.expression)
    )


def _divide_rounds(found: Sequence[Round], longest: int) -> list[Round]:
    """Divide loops over lanes into shorter loops, so that few values pass from one to another.

    A round is a loop, followed by calls of library functions. Only loops of more than `longest`
    operations are divided.
    """
    parts = []
    for part in found:
        # The calls of a round follow its last loop.
        *before, last = divide(Listing(part.blocks, ()), longest).segments
        parts += [
            *(Round(segment.blocks, ()) for segment in before),
            Round(last.blocks, part.calls),
        ]
    return parts


def _find_arrays(each_round: Sequence[Round], listing: Listing) -> set[str]:
    """Return the names of the values that need an array with one element for each lane (state).

    These are the arguments and results of calls, and the values that pass from one loop to another.
    """
    # Name of a value -> number of the loop that assigns it.
    home: dict[str, int] = {}
    kept: set[str] = set()
    for number, each in enumerate(each_round):
        inside = [statement for block in each.blocks for statement in block.statements]
        # A value that one loop assigns and another reads must exist for all lanes.
        home.update((name, number) for statement in inside for name in statement.assigned)
        kept.update(
            name
            for statement in inside
            for name in find_names_read(statement)
            if home.get(name) != number
        )
        # Calls work on all lanes, so their arguments and results are arrays.
        for call in each.calls:
            kept.update((*call.assigned, *find_names_read(call)))
    results = (
        value.name for _, values in listing.results for value in values if isinstance(value, Name)
    )
    return kept.union(name for name in results if home.get(name) != len(each_round) - 1)
