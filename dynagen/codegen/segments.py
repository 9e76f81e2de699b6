"""Statements of a kernel: results are stored early, long kernels are divided into segments.

Compilers keep the order of stores. If all results of a regressor were stored at the end, compilers
would first write the results to the stack, because there are too few registers. Therefore
`store_early` stores each result where the result is computed. In some languages an output may be
the same array as an input. Elements of inputs that are read after the first store are then copied
before this store.

Long kernels are divided into segments, because compilers treat a function without branches as one
block. The time to allocate registers grows with the square of the block's length. For a humanoid's
derivatives (31 000 operations), gcc -O2 takes 18 s, but 5 s if the operations are divided among a
dozen functions. Values that a later segment reads are kept in memory. Most values of a long kernel
are in memory even without segments, because there are hundreds of values but only 16 registers.
Dynamic programming finds the cuts with the smallest total number of live values. A segment consists
of whole blocks, which are the steps of the recursion, unless one block is too long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

from dynagen.ir.program import Element
from dynagen.ir.statements import (
    Access,
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
    count_live_values,
    find_names_read,
    iterate_nodes,
    list_atoms,
)

COPIES, FIRST_RESULTS = "Inputs", "Results that require no operation"
"""Titles of two blocks of statements, which precede the blocks of the recursion.

The first block copies elements of inputs, the second stores results that need no operation.
"""


def store_early(listing: Listing, copies: Callable[[Element], str] | None) -> Listing:
    """Return the same statements with every result stored after the statement that computes it.

    The status code is not stored; it remains the only result of the listing. Results that need no
    operation, such as zeros, are stored first, so that runs of zeros are written at once.

    For example, `a = x*y; b = a + x; results [0, a, b]` becomes `out[0] = 0; a = x*y; out[1] = a; b
    = a + x; out[2] = b`. If an output may be the same array as an input, x is copied before the
    first store.

    Args:
        listing: statements without stores, and the values of the results.
        copies: function of an input element that is read after a store; returns a name for the copy
            of this element. None if inputs need no copies.
    """
    # Name of a value -> its stores; all other stores are of constants and inputs.
    of_value: dict[str, list[Store]] = {}
    first: list[Store] = []
    for store in listing.stores:
        (
            of_value.setdefault(store.value.name, []) if isinstance(store.value, Name) else first
        ).append(store)
    blocks = [Block(FIRST_RESULTS, tuple(first))] if first else []
    for block in listing.blocks:
        statements = [
            each
            for statement in block.statements
            for each in (
                statement,
                *(store for name in statement.assigned for store in of_value.get(name, ())),
            )
        ]
        blocks.append(replace(block, statements=tuple(statements)))
    status = tuple(
        (output, values) for output, values in listing.results if output.argument.is_status
    )
    # The copies precede all stores, so that stores cannot change values before they are read.
    late = {element: Name(copies(element)) for element in _read_late(blocks)} if copies else {}
    copied = tuple(Assignment(name.name, element) for element, name in late.items())
    if late:
        blocks = [
            replace(
                block,
                statements=tuple(replace_inputs(statement, late) for statement in block.statements),
            )
            for block in blocks
        ]
    return Listing(tuple([Block(COPIES, copied)] * bool(copied) + blocks), status)


def _read_late(blocks: Iterable[Block]) -> list[Element]:
    """Return the input elements read at or after the first store, sorted by name and index."""
    statements: Iterator[Statement] = (
        statement for block in blocks for statement in block.statements
    )
    late: set[Element] = set()
    storing = False
    for statement in statements:
        storing |= isinstance(statement, Store)
        if storing:
            # An input may be the same array as an output, so that a store changes it.
            late.update(
                atom for atom in list_atoms(statement.expression) if isinstance(atom, Element)
            )
    return sorted(late, key=lambda element: (element.argument, element.index))


def replace_inputs(statement: Statement, names: Mapping[Element, Name]) -> Statement:
    """Return a statement that reads copies, `names[element]`, in place of input elements."""
    expression = _replace_inputs(statement.expression, names)
    if isinstance(statement, Assignment):
        return Assignment(statement.name, expression)
    if isinstance(statement, SineCosine):
        return SineCosine(expression, statement.sine, statement.cosine)
    assert not isinstance(expression, Application)
    return Store(statement.place, expression)


def _replace_inputs(expression: Expression, names: Mapping[Element, Name]) -> Expression:
    """Return an expression that reads copies in place of input elements."""
    if isinstance(expression, Application):
        return Application(
            expression.operation,
            tuple(_replace_inputs(operand, names) for operand in expression.operands),
        )
    return names.get(expression, expression) if isinstance(expression, Element) else expression


LONGEST = 5000
"""Largest number of operations and stores in an undivided kernel; gcc -O2 compiles it in a second.

The segments of a longer kernel have at most half as many operations and stores.
"""

_LONG_RUN = 8  # fewest equal results that are stored in a loop


@dataclass(frozen=True)
class Segment:
    """Consecutive statements of a kernel, and the results that are stored after them."""

    blocks: tuple[Block, ...]
    stores: tuple[Store, ...]

    @property
    def statements(self) -> Iterator[Statement]:
        """Statements of the segment in order, without the stores of results."""
        return (statement for block in self.blocks for statement in block.statements)

    @property
    def length(self) -> int:
        """Number of operations and stores.

        Eight or more stores of one constant in consecutive elements count as one store.
        """
        return sum(map(_operations, self.statements)) + sum(1 for _ in iterate_runs(self.stores))

    @property
    def assigned(self) -> list[str]:
        """Names of the values that the statements assign, in order."""
        return [name for statement in self.statements for name in statement.assigned]

    @property
    def read(self) -> set[Name | Element]:
        """Values and input elements that the statements and stores read."""
        values = [
            *(statement.expression for statement in self.statements),
            *(value for _, value in self.stores),
        ]
        return {atom for value in values for atom in list_atoms(value)}


@dataclass(frozen=True)
class Segmentation:
    """A kernel as a sequence of segments.

    Attributes:
        segments: segments in order; one segment means that the kernel is not divided.
        kept: names of the values that are read outside the segment that assigns them, in order.
    """

    segments: tuple[Segment, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class _StoringStep:
    """A statement, and the stores of results that the statement computes.

    The statement is None if the step only stores constants or inputs.
    """

    title: str
    statement: Statement | None
    stores: tuple[Store, ...]

    @property
    def length(self) -> int:
        """Number of operations and stores; a step without a statement counts as 1."""
        if self.statement is None:
            return 1
        return len(self.stores) + _operations(self.statement)

    @property
    def access(self) -> Access:
        """Names of the values that the step's statement assigns and reads."""
        if self.statement is None:
            return Access((), ())
        return Access(self.statement.assigned, find_names_read(self.statement))


def measure_length(listing: Listing) -> int:
    """Return the number of operations and stores in an undivided kernel.

    A sine with its cosine, or a copy of an input, counts as one operation.
    """
    operations = sum(
        _operations(statement) for block in listing.blocks for statement in block.statements
    )
    return operations + sum(len(values) for _, values in listing.results)


def _operations(statement: Statement) -> int:
    """Return the number of operations of a statement; a sine with its cosine counts as one."""
    # A copy of an input also costs one.
    return max(
        1, sum(isinstance(node, Application) for node in iterate_nodes(statement.expression))
    )


def divide(listing: Listing, longest: int = LONGEST) -> Segmentation:
    """Divide a kernel into segments if it has more than `longest` operations and stores.

    Each segment of a divided kernel has at most `longest // 2` operations and stores, or a single
    statement with its stores. Every segment stores the results that it computes. No segment stores
    the status code.
    """
    steps = list(_steps(listing))
    ends = [0, *accumulate(step.length for step in steps)]
    cuts = (
        _find_cuts(steps, ends, longest // 2)
        if measure_length(listing) > longest
        else [0, len(steps)]
    )
    segments = tuple(_segment(steps[start:end]) for start, end in pairwise(cuts))
    return Segmentation(segments, _kept_names(listing, segments))


def iterate_runs(stores: Iterable[Store]) -> Iterator[tuple[Store, ...]]:
    """Yield the stores in groups, in order.

    Eight or more stores of one constant in consecutive elements form a group; any other store is a
    group of its own. Matrices of derivatives contain long runs of zeros, for joints in different
    branches of the robot's tree. Compilers would need a long time for thousands of single stores.
    """
    run: list[Store] = []
    for store in stores:
        if run and not _continues(store, run[-1]):
            yield from _whole_or_single(run)
            run = []
        run.append(store)
    yield from _whole_or_single(run)


def _continues(store: Store, last: Store) -> bool:
    """Return whether `store` stores the same constant as `last`, in the next array element."""
    (place, value), (before, number) = store, last
    return (
        isinstance(value, Constant)
        and value == number
        and place == replace(before, index=before.index + 1)
    )


def _whole_or_single(run: Sequence[Store]) -> Iterator[tuple[Store, ...]]:
    """Yield all stores of a long run as one tuple; yield a tuple for each store of a short run."""
    yield from (tuple(run),) if len(run) >= _LONG_RUN else ((store,) for store in run)


def _steps(listing: Listing) -> Iterator[_StoringStep]:
    """Yield a step for each statement, in order, with the stores of the values it computes.

    Then follow steps that store the other results: constants and input elements.
    """
    # A value may be several results, as in a symmetric matrix.
    stores: dict[str, list[Store]] = {}
    plain: list[Store] = []
    for store in listing.stores:
        of_value = (
            stores.setdefault(store.value.name, []) if isinstance(store.value, Name) else plain
        )
        of_value.append(store)
    for block in listing.blocks:
        for statement in block.statements:
            yield _StoringStep(
                block.title,
                statement,
                tuple(store for name in statement.assigned for store in stores.get(name, ())),
            )
    yield from (_StoringStep("", None, run) for run in iterate_runs(plain))


def _find_cuts(steps: Sequence[_StoringStep], ends: Sequence[int], longest: int) -> list[int]:
    """Return the positions in `steps` at which segments begin, and finally the number of steps.

    A step is a statement with its stores. A segment has at most `longest` operations and stores, or
    consists of a single step. The cuts between segments are chosen so that few values are live at
    the cuts. `ends[k]` is the number of operations and stores in the first k steps.
    """
    # live[k] values are assigned before step k and read at or after it: they would be kept in
    # memory.
    live = count_live_values([step.access for step in steps])
    # Least cost of all cuts up to a place; + 1 for each cut prefers few segments.
    cost = {0: 0}
    before: dict[int, int] = {}
    queue = deque([0])
    for place in _cut_places(steps, ends, longest):
        while ends[place] - ends[queue[0]] > longest and len(queue) > 1:
            queue.popleft()  # out of reach of one segment, for this place and all later ones
        before[place] = queue[0]
        cost[place] = cost[queue[0]] + live[place] + 1
        while queue and cost[queue[-1]] >= cost[place]:
            queue.pop()  # never best again: this place is cheaper, and longer in reach
        queue.append(place)
    cuts = [len(steps)]  # follow the best cuts back from the end
    while cuts[-1]:
        cuts.append(before[cuts[-1]])
    return cuts[::-1]


def _cut_places(steps: Sequence[_StoringStep], ends: Sequence[int], longest: int) -> Iterator[int]:
    """Yield every k for which a segment may end after the first k of the `steps`.

    A segment may end after every block of statements. It may end after any step of a block that
    has more than `longest` operations and stores. `ends[k]` is the number of operations and stores
    in the first k steps.
    """
    position = 0
    for _, block in groupby(steps, lambda step: step.title):
        end = position + len(list(block))
        yield from range(position + 1, end) if ends[end] - ends[position] > longest else ()
        yield end
        position = end


def _segment(steps: Iterable[_StoringStep]) -> Segment:
    """Return the segment that consists of consecutive steps (statements with their stores)."""
    blocks = []
    stores: list[Store] = []
    for title, of_block in groupby(steps, lambda step: step.title):
        block = list(of_block)
        statements = tuple(step.statement for step in block if step.statement)
        blocks += [Block(title, statements)] if statements else []
        stores += [store for step in block for store in step.stores]
    return Segment(tuple(blocks), tuple(stores))


def _kept_names(listing: Listing, segments: Sequence[Segment]) -> tuple[str, ...]:
    """Return the names of values that are read outside the segment that assigns them."""
    status = {
        value for output, values in listing.results for value in values if output.argument.is_status
    }
    kept = []
    # From the last segment back: a name assigned in a segment is kept if a later one reads it.
    later = {value.name for value in status if isinstance(value, Name)}
    for segment in reversed(segments):
        kept += [name for name in reversed(segment.assigned) if name in later]
        later |= {atom.name for atom in segment.read if isinstance(atom, Name)}
    return tuple(reversed(kept))


def copy_inputs(segmentation: Segmentation, copies: Callable[[Element], str]) -> Segmentation:
    """Return a kernel in segments that copies inputs before stores of results can overwrite them.

    The first segment copies two kinds of input elements. The first kind is itself stored as a
    result. The second kind is read in segments after the first segment with stores; these segments
    read the copies.

    Args:
        segmentation: a kernel in segments.
        copies: function of an input element; returns a name for its copy.
    """
    first, *others = segmentation.segments
    storing = next(
        (place for place, segment in enumerate(segmentation.segments) if segment.stores),
        len(others),
    )
    # In the segments after the first store, inputs may have been overwritten by results.
    needed: dict[Element, Name] = {}
    for place, segment in enumerate(segmentation.segments):
        stored = {value for _, value in segment.stores}
        late = [
            atom
            for atom in segment.read
            if isinstance(atom, Element) and (place > storing or atom in stored)
        ]
        for element in sorted(late, key=lambda element: (element.argument, element.index)):
            if element not in needed:
                needed[element] = Name(copies(element))
    if not needed:
        return segmentation
    copied = Block(
        COPIES, tuple(Assignment(name.name, element) for element, name in needed.items())
    )
    return Segmentation(
        (
            Segment((*first.blocks, copied), _replace_in_stores(first, needed)),
            *(
                Segment(
                    _replace_in_blocks(segment, needed if place > storing else {}),
                    _replace_in_stores(segment, needed),
                )
                for place, segment in enumerate(others, 1)
            ),
        ),
        (*segmentation.kept, *(name.name for name in needed.values())),
    )


def _replace_in_blocks(segment: Segment, names: Mapping[Element, Name]) -> tuple[Block, ...]:
    """Return the blocks of a segment with input elements replaced by their copies."""
    return tuple(
        replace(
            block,
            statements=tuple(replace_inputs(statement, names) for statement in block.statements),
        )
        for block in segment.blocks
    )


def _replace_in_stores(segment: Segment, names: Mapping[Element, Name]) -> tuple[Store, ...]:
    """Return the stores of a segment with input elements replaced by their copies."""
    return tuple(
        Store(place, names.get(value, value) if isinstance(value, Element) else value)
        for place, value in segment.stores
    )
