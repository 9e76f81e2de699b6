"""A recorder that goes no further than to the values that a function settles: what passes finish, and loads are added to."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.builder import Builder
from dynagen.ir.program import Argument, Output, Program


class SettlingRecorder(Recorder):
    """Its program has the settled values as results; what is made of them is left out."""

    def __init__(self, builder: Builder, parameters: Sequence[str], loads_alone: bool) -> None:
        """Start to record.

        Args:
            builder: receives the program.
            parameters: names of the run-time parameters.
            loads_alone: whether the robot is one that only meets loads; what these do not change is zero then.
        """
        super().__init__(builder, parameters)
        self._loads_alone = loads_alone
        self._settled: list[Output] = []

    def settle(self, quantities: Sequence[Quantity], loaded: bool = True) -> tuple[Quantity, ...]:
        """Take values as results."""
        values = [value for quantity in quantities for value in quantity.values]
        if self._loads_alone and not loaded:
            values = [self._builder.constant(0)] * len(values)
        argument = Argument(f"settled{len(self._settled) + 1}", (len(values),), ("",) * len(values), "settled values")
        self._settled.append(Output(argument, tuple(values)))
        return tuple(quantities)

    def settled(self) -> Program:
        """The recorded program."""
        return self._builder.finish(self._settled)
