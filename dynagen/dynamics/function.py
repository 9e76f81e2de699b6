"""DynamicsFunction: inputs, outputs, methods and expected results of a function, and functions composed of calls.

DynamicsFunction: what a function takes and returns, how it is recorded, and what the reference expects of it.

Composed functions: made of calls of another function, as the stages of an integrator are of forward dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from dynagen.dynamics.algorithms.frames import begin_recording
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, parameter_argument
from dynagen.dynamics.candidate import Candidate, as_described
from dynagen.dynamics.recording import Quantity, Recorder
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.composition import Composition, inline
from dynagen.ir.program import PARAMS, Argument, Program
from dynagen.ir.validation import validate
from dynagen.robot.model.model import RobotModel
from dynagen.robot.names import identifier

Results = tuple[Iterable[Quantity], ...]
"""For every output the quantities that fill it, row-major."""
Record = Callable[[Recording], Results]
"""Records a function and returns what fills its outputs."""


_BETWEEN_METHODS = "+"


def join_methods(methods: Iterable[str]) -> str:
    """The name that stands for methods of several functions at once; a function without a choice has the empty name."""
    return _BETWEEN_METHODS.join(filter(None, methods))


def split_methods(method: str) -> tuple[str, ...]:
    """The methods that a name from `join_methods` stands for."""
    return tuple(filter(None, method.split(_BETWEEN_METHODS)))


class Dependence(IntEnum):
    """What of the bodies' inertial parameters a function depends on: no more than what joints observe can be regrouped."""

    NOTHING = 0
    """Kinematics, and functions that take the parameters as arguments."""
    OBSERVABLE = 1
    """What joint forces depend on."""
    ALL_MOMENTUM = 2
    """The momentum of all bodies, of which joints on a fixed base observe a part, and a floating base all."""
    REACTIONS = 3
    """All that joints carry."""


@dataclass(frozen=True)
class Oracle:
    """The results that a numeric reference expects of a function. All callables are called as `expected` is.

    Attributes:
        expected: the outputs, `expected(reference, *inputs)`; arrays have a leading axis over states. Functions that follow
            from inverse dynamics use nothing but `reference.inverse_dynamics`.
        magnitudes: the scale of rounding of every output; None takes `expected` of the reference that sums the magnitudes of
            terms, which is right where inverse dynamics enters linearly.
        defined: the states in which the outputs exist; a proof leaves out the others. None: in all.
        solvable: the states in which a status says that all went well. None: in all.
        subjects: what of a reference `expected` uses: its dynamics, its kinematics of frames, or the reactions of joints.
    """

    expected: Callable[..., tuple[Any, ...]]
    magnitudes: Callable[..., tuple[Any, ...]] | None = None
    defined: Callable[..., Any] | None = None
    solvable: Callable[..., Any] | None = None
    subjects: tuple[str, ...] = ("dynamics",)

    def scales(self, reference: Any, *state: Any) -> tuple[Any, ...]:
        """The scale of rounding of every output."""
        magnitudes = self.magnitudes or (
            lambda reference, *state: self.expected(reference.magnitudes, *state)
        )
        return magnitudes(reference, *state)


@dataclass(frozen=True)
class Availability:
    """Robots, frames and requests that a function is available for.

    Attributes:
        unavailable_because: why it is not for a robot; empty if it is. `all` leaves it out then, with a note.
        on_request: whether it is a variant of another function, which `all` leaves out.
        for_frame: makes the same function for a named frame instead of the tool; None if it has to do with no frame.
        methods_for_free_joints: those of its methods that are not right where joints follow others.
    """

    unavailable_because: Callable[[RobotModel], str] = lambda model: ""
    on_request: bool = False
    for_frame: Callable[[str], DynamicsFunction] | None = None
    methods_for_free_joints: tuple[str, ...] = ()


@dataclass(frozen=True)
class DynamicsFunction:
    """A function of the rigid-body model.

    Attributes:
        name: the field's standard name.
        formula: what it computes, as one line: `tau = M(q) qdd + C(q, qd) qd + g(q)`.
        inputs: what it takes, for a model; in the order of the signature, without run-time parameters.
        outputs: what it returns, for a model; in the order of the signature, without a status.
        methods: recordings of it, `record(recording)`, by name; a single one needs none. All give the same, and
            that is taken which costs a robot least.
        oracle: what is expected of it.
        availability: for which robots and frames it is there.
        as_described: whether it depends on how the robot is described, and not on joint forces alone: on reaction forces, or
            on the frames of base parameters. Then inertial parameters stay where they are.
        base_parameters: whether it has to do with base parameters, so that their relations belong with it.
        depends_on: what of the inertial parameters of the model enters.
        asked_as: what users call it, if not by its name: `jacobian@camera`, `mass_matrix+gravity_forces`.
    """

    name: str
    formula: str
    inputs: Arguments
    outputs: Arguments
    methods: Mapping[str, Record] = field(hash=False)
    oracle: Oracle
    availability: Availability = Availability()
    as_described: bool = False
    base_parameters: bool = False
    depends_on: Dependence = Dependence.OBSERVABLE
    asked_as: str = ""

    @property
    def method(self) -> str:
        """The name of the first of the methods."""
        return next(iter(self.methods))

    @property
    def request(self) -> str:
        """The name by which users ask for it."""
        return self.asked_as or self.name

    def regroups(self, model: RobotModel) -> bool:
        """Whether it is the same with inertial parameters regrouped as joints observe them."""
        return self.depends_on is Dependence.OBSERVABLE or (
            self.depends_on is Dependence.ALL_MOMENTUM and model.floats
        )

    def at(self, frame: str) -> DynamicsFunction:
        """The function for a named frame, as `jacobian_at_camera`.

        Raises:
            UsageError: the function has to do with no frame.
        """
        for_frame = self.availability.for_frame
        if for_frame is None:
            raise UsageError(f"{self.name} has to do with no frame: leave out `@{frame}`")
        return replace(
            for_frame(frame),
            name=f"{self.name}_at_{identifier(frame)}",
            asked_as=f"{self.name}@{frame}",
        )

    def require(self, model: RobotModel) -> None:
        """Refuse a robot that the function is not available for.

        Raises:
            UsageError: says why.
        """
        if reason := self.availability.unavailable_because(model):
            raise UsageError(f"{self.request} is not available for {model.name}: {reason}")

    def for_robot(self, model: RobotModel) -> DynamicsFunction:
        """The function with those of its methods that are available for a robot."""
        ruled_out = self.availability.methods_for_free_joints if model.has_mimics else ()
        if not ruled_out:
            return self
        return replace(
            self,
            methods={name: each for name, each in self.methods.items() if name not in ruled_out},
        )

    def all_inputs(self, model: RobotModel) -> tuple[Argument, ...]:
        """The inputs, and the run-time parameters if the robot has any."""
        parameters = (parameter_argument(model.parameters),) if model.parameters else ()
        return (*self.inputs(model), *parameters)

    def build(self, model: RobotModel, method: str | None = None) -> Program:
        """Record the function for a robot as described, by a method (None: the first).

        Raises:
            UsageError: the function is not available for this robot.
        """
        self.require(model)
        return self.build_for(as_described(model), method)

    def build_for(self, candidate: Candidate, method: str | None = None) -> Program:
        """Record the function for a candidate."""
        model = candidate.model
        recorder = Recorder(
            Builder(self.name, self.all_inputs(model)),
            [parameter.name for parameter in model.parameters],
        )
        results = self.record_into(recorder, candidate, method)
        return validate(recorder.finish(zip(self.outputs(model), results, strict=True)))

    def record_into(
        self, recorder: Recorder, candidate: Candidate, method: str | None = None
    ) -> Results:
        """Record the function for a candidate and by a method; returns what fills the outputs."""
        return self.methods[self.method if method is None else method](
            self.begin(recorder, candidate)
        )

    def begin(self, recorder: Recorder, candidate: Candidate) -> Recording:
        """Begin to record for a candidate: the axes of all bodies, unless the function does not depend on joint positions."""
        takes_positions = any(argument.name == "q" for argument in self.inputs(candidate.model))
        return begin_recording(recorder, candidate, takes_positions)


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
