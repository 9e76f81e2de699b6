"""Choice of values that a GPU function keeps in shared memory if it has too few registers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dynagen.codegen.tree import AngleStep, Function, Node, Section, StatusCode
from dynagen.ir.statements import Assignment, Expression, Name, Store, list_atoms


@dataclass(frozen=True)
class _Life:
    """Live range of a value. Statements are numbered from 0.

    `start` is the number of the statement that computes the value; for an input, of the first
    statement that reads it. `reads` are the numbers of the statements that read it, ascending. A
    `movable` value may be kept in shared memory instead of a register.
    """

    start: int
    reads: tuple[int, ...]
    movable: bool

    @property
    def end(self) -> int:
        """Number of the last statement that reads the value."""
        return self.reads[-1]


def choose_kept_values(function: Function, limit: int, slots: int) -> dict[str, int]:
    """Choose values of a GPU function to keep in shared memory instead of registers.

    A value is live from its computation to its last use. As long as more than `limit` values in
    registers are live at a statement, one of these values moves to memory: the value with the
    longest live range per memory access.

    Args:
        function: function that is not split into segments.
        limit: desired largest number of values that are live in registers at once. The limit may be
            exceeded if there are too few slots, or too many inputs, sines and cosines, which are
            not kept in memory.
        slots: number of places for values in shared memory.

    Returns:
        A mapping from names of values to numbers of slots, from 0. Values whose live ranges do not
            overlap may share a slot.
    """
    lives = _find_lives(function)
    count = [0] * (max((life.end for life in lives.values()), default=0) + 1)
    for life in lives.values():
        for step in range(life.start, life.end):
            count[step] += 1
    # A value that is read rarely during a long life costs few accesses to memory.
    kept: dict[str, int] = {}
    taken: list[list[tuple[int, int]]] = [[] for _ in range(slots)]
    while (most := max(count, default=0)) > limit:
        peak = count.index(most)
        # Only lives that contain the peak lower it; a life that begins or ends there does not.
        candidates = sorted(
            (
                name
                for name, life in lives.items()
                if life.movable and life.start < peak < life.end and name not in kept
            ),
            key=lambda name: (
                -(lives[name].end - lives[name].start) / (1 + len(lives[name].reads)),
                lives[name].start,
            ),
        )
        for name in candidates:
            slot = _find_slot(taken, lives[name])
            if slot is not None:
                break
        else:
            break
        kept[name] = slot
        # The value leaves the registers for its whole life, so other peaks become lower too.
        for step in range(lives[name].start, lives[name].end):
            count[step] -= 1
    return kept


def _find_slot(taken: Sequence[list[tuple[int, int]]], life: _Life) -> int | None:
    """Reserve and return the first slot that is free during a live range; None without such a slot.

    A slot is a place for a value in shared memory. `taken` holds for each slot the periods in which
    it is used, ascending, as pairs of first and last statement. The period of `life` is inserted.
    """
    for slot, periods in enumerate(taken):
        place = bisect_left(periods, (life.start, life.end))
        if place and periods[place - 1][1] > life.start:
            continue
        if place < len(periods) and periods[place][0] < life.end:
            continue
        periods.insert(place, (life.start, life.end))
        return slot
    return None


def _find_lives(function: Function) -> dict[str, _Life]:
    """Return the live ranges of a function's values and inputs.

    The key is the name of a value, or the text of an input element such as `q[0]`.
    """
    starts: dict[str, int] = {}
    reads: dict[str, list[int]] = {}
    movable: set[str] = set()
    for step, (assigned, expressions, node) in enumerate(_list_steps(function.sections)):
        for atom in (atom for each in expressions for atom in list_atoms(each)):
            name = atom.name if isinstance(atom, Name) else f"{atom.argument}[{atom.index}]"
            # An input lives from its first read; a value from its computation before it.
            starts.setdefault(name, step)
            found = reads.setdefault(name, [])
            if not found or found[-1] != step:
                found.append(step)
        for name in assigned:
            starts[name] = step
        # Sines and cosines come in pairs from one call, and inputs are in memory already.
        if isinstance(node, Assignment):
            movable.update(assigned)
    return {
        name: _Life(starts[name], tuple(steps), name in movable) for name, steps in reads.items()
    }


_Step = tuple[tuple[str, ...], Sequence[Expression], Node]


def _list_steps(sections: Iterable[Section]) -> Iterator[_Step]:
    """Yield for each statement the names it assigns, the expressions it reads, and its tree node.

    A call that computes several sines and cosines counts as one statement for each angle.
    """
    for node in (node for section in sections for node in section.nodes):
        match node:
            case Assignment():
                yield node.assigned, [node.expression], node
            case Store() | StatusCode():
                yield (), [node.value], node
            case AngleStep():
                for angle in node.angles:
                    yield angle.assigned, [angle.angle], node
