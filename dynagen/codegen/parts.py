"""Division of a large program into parts for a GPU; each part computes some of the results.

A thread of a GPU has at most 255 registers; further values spill to memory. A part is the program
without the instructions that the results of the part do not need. Each part computes the status of
the program and all values that the part needs, even if other parts compute the same values.
`divide_outputs` starts with one part for each column of the results. It joins parts while the
estimated number of registers permits it, and begins with the two parts that share the most
instructions. If a single column needs too many registers, some values are kept in shared memory.
Then further parts are joined, because reading a value from shared memory takes less time than
computing it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from dynagen.codegen.live_values import count_most_live, move_to_uses
from dynagen.ir.program import Argument, Element, Instruction, Output, Program
from dynagen.numbers.real import DOUBLE, Real

MOST_WORDS = 180
"""Largest number of live 32-bit words that fit into 255 registers.

The remaining registers hold addresses and temporary values.
"""
FEW_WORDS = 140
"""Largest number of live 32-bit words in registers if values are also kept in shared memory.

The limit holds for each part of a program that is divided for a GPU.
"""
SHARED_WORDS = 48 * 1024 // 4
"""Number of 32-bit words of shared memory that a block may use on every GPU."""
THREADS = (64, 32)
"""Possible numbers of threads of a block; with fewer threads, each has more shared memory."""
_USED = 7 / 8  # share of shared memory that joined parts may need by estimate
_STORED = "stored"


def count_words(real: Real) -> int:
    """Return how many 32-bit registers one number occupies: 2 for double, 1 for float."""
    return 2 if real is DOUBLE else 1


@dataclass(frozen=True)
class Part:
    """A part of a program, which computes some elements of the results.

    Attributes:
        number: number of the part, from 1.
        title: names of the outputs, with the numbers of the columns that the part computes.
        program: program whose first output is the vector of the elements `places`; the status
            follows if the whole program can fail.
        places: elements of the whole program's results that the part computes, in order.
        results: results of the whole program.
    """

    number: int
    title: str
    program: Program
    places: tuple[Element, ...]
    results: tuple[Argument, ...]


@dataclass(frozen=True)
class _Group:
    """Group of columns of a program's results, which one part of the divided program computes.

    Bit k of `needed` is 1 if the columns depend on instruction k. `places` are indices among all
    elements of all results. `names` holds for each column the output's name and the column's
    number, from 0.
    """

    needed: int
    places: tuple[int, ...]
    names: tuple[tuple[str, int], ...]


@lru_cache(maxsize=64)  # files are printed for the proof and for the delivery
def divide_outputs(program: Program, real: Real) -> tuple[Part, ...]:
    """Return parts of a program for a GPU; each part computes some columns of the results.

    The tuple is empty if the registers of one GPU thread suffice for the whole program.

    Args:
        program: program to divide.
        real: number type of the program; a number occupies one or two registers.
    """
    limit = MOST_WORDS // count_words(real)
    everything = range(len(program.instructions))
    if count_most_live(program.instructions, everything) <= limit:
        return ()
    groups = _join(program, _list_columns(program, _find_needed(program)), limit)
    if any(_count_live(program, group) > limit for group in groups):
        groups = _join_in_shared_memory(program, groups, real)
    return tuple(_make_part(program, number, group) for number, group in enumerate(groups, start=1))


def _find_needed(program: Program) -> list[int]:
    """Return for each instruction the set of the instructions on which its value depends.

    The set contains the instruction itself. Bit k of the returned integer is 1 if instruction k
    belongs to the set.
    """
    needed: list[int] = []
    for position, instruction in enumerate(program.instructions):
        bits = 1 << position
        for operand in instruction.operands:
            bits |= needed[operand]
        needed.append(bits)
    return needed


def _list_columns(program: Program, needed: list[int]) -> list[_Group]:
    """Return a group for each column of a matrix result, and for each vector result.

    Later steps join groups; each final group becomes a part of the program. `needed` holds for each
    instruction a bit set of the instructions on which its value depends.
    """
    columns: dict[tuple[str, int], list[int]] = {}
    values = [*program.iterate_result_values()]
    status = 0  # every part computes the status, which comes last
    for value in values[sum(output.argument.size for output in program.results) :]:
        status |= needed[value]
    place = 0
    for output in program.results:
        width = output.argument.shape[-1] if len(output.argument.shape) > 1 else 1
        for index in range(output.argument.size):
            columns.setdefault((output.argument.name, index % width), []).append(place)
            place += 1
    groups = []
    for name, places in columns.items():
        bits = status
        for each in places:
            bits |= needed[values[each]]
        groups.append(_Group(bits, tuple(places), (name,)))
    return groups


def _join_in_shared_memory(program: Program, groups: list[_Group], real: Real) -> list[_Group]:
    """Join groups while registers and shared memory suffice; return the joined groups.

    A group contains columns of results that one part of the program computes. The threads of a
    block share its memory. With fewer threads, each has more memory, but fewer states are computed
    at the same time. The number of threads is chosen for the lowest cost: the number of
    instructions in all groups divided by the number of threads.
    """
    joined = []
    for threads in THREADS:
        words = FEW_WORDS + int(_USED * SHARED_WORDS) // threads
        divided = _join(program, groups, words // count_words(real))
        cost = sum(group.needed.bit_count() for group in divided) / threads
        joined.append((cost, divided))
    return min(joined, key=lambda each: each[0])[1]


def _count_live(program: Program, group: _Group) -> int:
    """Return the largest number of values that are live at once while a program runs.

    Only the instructions are executed on which the results in `group` depend.
    """
    return count_most_live(program.instructions, _positions(group.needed))


def _join(program: Program, groups: list[_Group], limit: int) -> list[_Group]:
    """Join groups while at most `limit` values are live at once in each group; return the groups.

    A group contains columns of results that one part of the program computes. The two groups that
    share the most instructions are joined first.
    """
    found = dict(enumerate(groups))

    def fits(bits: int) -> bool:
        return count_most_live(program.instructions, _positions(bits)) <= limit

    def count_shared(one: int, other: int) -> int:
        return (found[one].needed & found[other].needed).bit_count()

    # A group that needs too many registers alone stays alone.
    open_groups = [place for place, group in found.items() if fits(group.needed)]
    shared = {pair: count_shared(*pair) for pair in combinations(open_groups, 2)}
    while shared:
        one, other = max(shared, key=lambda pair: (shared[pair], pair))
        first, second = found[one], found[other]
        bits = first.needed | second.needed
        if not fits(bits):
            del shared[one, other]
            continue
        new = max(found) + 1
        del found[one], found[other]
        found[new] = _Group(
            bits, tuple(sorted(first.places + second.places)), first.names + second.names
        )
        open_groups = [place for place in open_groups if place not in (one, other)]
        shared = {pair: each for pair, each in shared.items() if not {one, other} & {*pair}}
        shared |= {(place, new): count_shared(place, new) for place in open_groups}
        open_groups.append(new)
    return sorted(found.values(), key=lambda group: group.places)


def _positions(bits: int) -> Iterator[int]:
    """Yield the positions of the 1-bits of an integer, ascending."""
    for position, digit in enumerate(reversed(f"{bits:b}")):
        if digit == "1":
            yield position


def _make_part(program: Program, number: int, group: _Group) -> Part:
    """Return the part of a program that computes a group of columns of the results.

    Parts have numbers from 1; `number` is the number of this part.
    """
    new: dict[int, int] = {}
    instructions: list[Instruction] = []
    for position in _positions(group.needed):
        new[position] = len(instructions)
        instruction = program.instructions[position]
        instructions.append(
            instruction._replace(operands=tuple(new[each] for each in instruction.operands))
        )
    places = [
        (Element(output.argument.name, index), value)
        for output in program.results
        for index, value in enumerate(output.values)
    ]
    status = (output for output in program.outputs if output.argument.is_status)
    chosen = [places[each] for each in group.places]
    stored = Argument(_STORED, (len(chosen),), ("",) * len(chosen), "")
    return Part(
        number,
        _describe(group.names),
        move_to_uses(
            replace(
                program,
                instructions=tuple(instructions),
                outputs=(
                    Output(stored, tuple(new[value] for _, value in chosen)),
                    *(
                        replace(each, values=tuple(new[value] for value in each.values))
                        for each in status
                    ),
                ),
            )
        ),
        tuple(element for element, _ in chosen),
        tuple(output.argument for output in program.results),
    )


def _describe(names: Iterable[tuple[str, int]]) -> str:
    """Return columns of results as text, such as `dtau_dq 0-2, 5; dtau_dqd 5`."""
    columns: dict[str, list[int]] = {}
    for name, column in sorted(names):
        columns.setdefault(name, []).append(column)
    return "; ".join(f"{name} {_format_ranges(each)}" for name, each in columns.items())


def _format_ranges(numbers: Iterable[int]) -> str:
    """Return ascending numbers as text, such as `0-2, 5`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
