"""A recorder that applies no formula twice to the same values: a recursion may begin with what another has recorded before."""

from __future__ import annotations

from dynagen.dynamics.recording.formula import Formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import Name


class MemoisedRecorder(Recorder):
    """Records into the program of another recorder, and remembers what formulas have been applied to."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder._builder, recorder._parameters)
        self._recorder = recorder
        self._positive = recorder._positive
        self._named = True
        self._applied: dict[tuple[Formula, tuple[tuple[int, ...], ...]], Quantity] = {}

    @property
    def unnamed(self) -> MemoisedRecorder:
        """The recorder without names, for what may have been recorded under its names before."""
        other = MemoisedRecorder(self._recorder)
        other._named, other._applied = False, self._applied
        return other

    def section(self, title: str) -> None:
        """Begin a section, as the other recorder does."""
        self._recorder.section(title)

    def apply(self, formula: Formula, *arguments: Quantity) -> Quantity:
        """Apply a formula as the other recorder does, once."""
        key = formula, tuple(argument.values for argument in arguments)
        if key not in self._applied:
            self._applied[key] = self._recorder.apply(formula, *arguments)
        return self._applied[key]

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Name values as the other recorder does, or not at all; a value that cannot bear a name is not copied to have one."""
        if self._named:
            self._recorder.name(name, quantity)
        return quantity
