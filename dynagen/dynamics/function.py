"""DynamicsFunction: what a function takes and returns, how it is recorded, and what the reference expects of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dynagen.dynamics.formulation import Formulation, default_formulation
from dynagen.dynamics.frames import Frames, record_frames
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.ir.program import Argument, Program
from dynagen.ir.validation import validate
from dynagen.robot.model import RobotModel

# What a pass may name, in any function.
_COMMON_LEGEND = (
    ("minus_", "the opposite of the quantity that follows"),
    ("t", "a part of an expression that is used more than once"),
)

Legend = tuple[tuple[str, str], ...]
Results = tuple[Iterable[Quantity], ...]
"""For every output the quantities that fill it, row-major."""


@dataclass(frozen=True)
class DynamicsFunction:
    """A function of the rigid-body model.

    Attributes:
        name: the field's standard name.
        formula: what it computes, as one line: `tau = M(q) qdd + C(q, qd) qd + g(q)`.
        inputs: the inputs in the order of the signature, for a model.
        outputs: the outputs likewise.
        record: records the function, `record(recorder, model, frames)`, and returns what fills the outputs.
        expected: the outputs by a numeric reference, `expected(reference, *inputs)`; arrays have a leading axis over states.
            Functions that follow from inverse dynamics use nothing but `reference.inverse_dynamics`.
        legend: what the recorded names stand for.
        magnitudes: the scale of rounding of every output, called as `expected` is; None takes `expected` of the reference
            that sums the magnitudes of terms, which is right where inverse dynamics enters linearly.
    """

    name: str
    formula: str
    inputs: Callable[[RobotModel], tuple[Argument, ...]]
    outputs: Callable[[RobotModel], tuple[Argument, ...]]
    record: Callable[[Recorder, RobotModel, Frames], Results]
    expected: Callable[..., tuple[Any, ...]]
    legend: Legend
    magnitudes: Callable[..., tuple[Any, ...]] | None = None

    @property
    def complete_legend(self) -> Legend:
        """The function's names, and those that passes give."""
        return (*self.legend, *_COMMON_LEGEND)

    def build(self, model: RobotModel, formulation: Formulation | None = None) -> Program:
        """Record the function for a robot, under a formulation (None: the default one)."""
        recorder = Recorder(self.name, self.inputs(model))
        frames = record_frames(recorder, model, formulation or default_formulation(model))
        results = self.record(recorder, model, frames)
        return validate(recorder.finish(zip(self.outputs(model), results, strict=True)))
