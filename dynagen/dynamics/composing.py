"""Composed functions: made of calls of another function, as the stages of an integrator are of forward dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.candidate import Candidate
from dynagen.dynamics.function import DynamicsFunction
from dynagen.ir.composition import Composition, inline
from dynagen.ir.program import PARAMS, Program
from dynagen.robot.model.model import RobotModel


@dataclass(frozen=True, kw_only=True)
class ComposedFunction(DynamicsFunction):
    """A function made of calls of another one, whose methods and inputs it has.

    Attributes:
        callee: the other one; its first output is what it is called for.
        composition: the calls.
    """

    callee: DynamicsFunction
    composition: Composition

    def build_for(self, candidate: Candidate, method: str | None = None) -> Program:
        """Record the callee for a candidate, and repeat it."""
        return self.compose(self.callee.build_for(candidate, method), candidate.model)

    def compose(self, called: Program, model: RobotModel) -> Program:
        """The program that calls of the callee's program amount to."""
        prepared = (
            argument for argument in called.inputs if argument.name == PARAMS
        )  # as many as there are by now
        return inline(
            self.name,
            self.composition,
            called,
            (*self.inputs(model), *prepared),
            self.outputs(model),
        )
