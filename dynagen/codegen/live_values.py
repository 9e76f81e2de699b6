"""Order of instructions with few live values, for processors with few registers.

A value is live from its computation to its last use. `move_to_uses` moves instructions in two ways.
If the operands of an instruction are needed later anyway, the instruction moves down to the first
use of its value. If an instruction is the last use of two operands, it moves up to directly after
the later operand. After every move, each operand still precedes its uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dynagen.ir.program import Instruction, Operation, Program

_ROUNDS = 8
_STEP = 1e-6  # a moved instruction is this far from its new neighbour; positions are 1 apart


def count_most_live(instructions: Sequence[Instruction], positions: Iterable[int]) -> int:
    """Return the largest number of values that are live at once: computed and still to be read.

    Results of the program are stored right after their computation. Constants do not count.

    Args:
        instructions: instructions of a program.
        positions: positions of the instructions that are executed, in the order of execution.
    """
    order = [*positions]
    last: dict[int, int] = {}
    for position in order:
        last.update(dict.fromkeys(instructions[position].operands, position))
    live = most = 0
    for position in order:
        operation, operands, *_ = instructions[position]
        live += position in last and operation is not Operation.CONSTANT
        # An operand that is read here for the last time frees its register for the result.
        live -= sum(
            last[operand] == position and instructions[operand].operation is not Operation.CONSTANT
            for operand in {*operands}
        )
        most = max(most, live)
    return most


def reorder(program: Program, order: Sequence[int]) -> Program:
    """Return a program with its instructions in another order.

    Args:
        program: program of n instructions.
        order: positions of the n instructions in `program`, in the new order. Every operand must
            precede its uses.
    """
    new = {position: place for place, position in enumerate(order)}
    instructions = (program.instructions[position] for position in order)
    return replace(
        program,
        instructions=tuple(
            each._replace(operands=tuple(new[operand] for operand in each.operands))
            for each in instructions
        ),
        outputs=tuple(
            replace(output, values=tuple(new[value] for value in output.values))
            for output in program.outputs
        ),
    )


def move_to_uses(program: Program) -> Program:
    """Return the program with its instructions reordered so that fewer values are live at once.

    The order stays unchanged if none of the tried orders lowers the largest number of values that
    are live at once.
    """
    instructions = program.instructions
    moves = _Moves(instructions)
    best = order = [*range(len(instructions))]
    fewest = count_most_live(instructions, order)
    for number in range(_ROUNDS):
        # Every other round also moves instructions that only exchange one live value for another.
        order = moves.move_up(moves.move_down(order, allowed=1 - number % 2))
        if (live := count_most_live(instructions, order)) < fewest:
            best, fewest = order, live
    return reorder(program, best)


class _Moves:
    """Functions that move the instructions of one program to other positions."""

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self._operands = [
            [
                operand
                for operand in dict.fromkeys(each.operands)
                if instructions[operand].operation is not Operation.CONSTANT
            ]
            for each in instructions
        ]
        self._all_operands = [each.operands for each in instructions]
        self._users: list[list[int]] = [[] for _ in instructions]
        for position, each in enumerate(instructions):
            for operand in {*each.operands}:
                self._users[operand].append(position)

    def move_down(self, order: Sequence[int], allowed: int) -> list[int]:
        """Return an order in which instructions are moved down to their first use.

        An order lists positions in the program. A move shortens the life of the instruction's
        value, and may lengthen the lives of at most `allowed` operands (0 or 1).
        """
        place = {position: float(index) for index, position in enumerate(order)}
        for position in reversed(order):
            if not self._users[position]:
                continue
            # From the last to the first: users have moved before, so targets are final.
            target = min(place[user] for user in self._users[position]) - _STEP
            longer = sum(
                all(place[user] < target for user in self._users[operand] if user != position)
                for operand in self._operands[position]
            )
            # The move frees one register, of the value itself, until the target.
            if longer <= allowed:
                place[position] = target
        return sorted(order, key=place.__getitem__)

    def move_up(self, order: Sequence[int]) -> list[int]:
        """Return an order in which instructions move up to directly after their last operand.

        An order lists positions in the program. An instruction moves only if it is the last use of
        at least two operands. One operand suffices if no instruction reads the value of the moved
        instruction.
        """
        place = {position: float(index) for index, position in enumerate(order)}
        for position in order:
            operands = self._operands[position]
            ended = sum(
                all(place[user] <= place[position] for user in self._users[operand])
                for operand in operands
            )
            # Two lives end and one begins, or the value is a result that is stored at once.
            if len(operands) > 1 and (ended > 1 or (ended and not self._users[position])):
                place[position] = max(place[each] for each in self._all_operands[position]) + _STEP
        return sorted(order, key=place.__getitem__)
