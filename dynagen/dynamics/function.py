"""Definitions of dynamics functions: arguments, recording methods and expected results.

A recording method applies the equations of an algorithm to recorded values, and thereby records the
operations of the generated function. A composed function consists of calls of another function. For
example, an integrator calls forward dynamics in each of its stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from dynagen.dynamics.algorithms.frames import begin_recording
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, make_parameter_argument
from dynagen.dynamics.candidate import Candidate, make_described_candidate
from dynagen.dynamics.recording import Quantity, Recorder
from dynagen.errors import UsageError
from dynagen.ir.builder import Builder
from dynagen.ir.composition import Composition, inline
from dynagen.ir.program import PARAMS, Argument, Program
from dynagen.ir.validation import validate
from dynagen.robot.model.model import RobotModel
from dynagen.robot.names import make_identifier

Results = tuple[Iterable[Quantity], ...]
"""Recorded values of the outputs, in order: for each output its elements, row-major."""
Record = Callable[[Recording], Results]
"""Recording method of a function: records the operations and returns the values of the outputs."""


_BETWEEN_METHODS = "+"


def join_methods(methods: Iterable[str]) -> str:
    """Return the name of a fused function's method: the methods of its parts, joined by `+`.

    `methods` contains the name of one method for each part; empty names are left out.
    """
    return _BETWEEN_METHODS.join(filter(None, methods))


def split_methods(method: str) -> tuple[str, ...]:
    """Return the names of methods that `join_methods` has joined by `+`, without empty names."""
    return tuple(filter(None, method.split(_BETWEEN_METHODS)))


class Dependence(IntEnum):
    """The inertial parameters that affect the results of a function.

    They decide whether the results stay the same if inertia that a joint cannot observe is moved to
    the parent body (regrouping); see `DynamicsFunction.regroups`.
    """

    NOTHING = 0
    """Results depend on no inertial parameter of the robot, as for kinematics and regressors."""
    OBSERVABLE = 1
    """Results depend only on the combinations of parameters that determine joint forces."""
    ALL_MOMENTUM = 2
    """Results depend on all parameters that determine the total momentum of the robot.

    For a robot with a floating base, all these parameters affect the joint forces too.
    """
    REACTIONS = 3
    """Results depend on all inertial parameters, as for the wrench that a joint transmits."""


@dataclass(frozen=True)
class InverseCheck:
    """Check of an inverse function, such as inverse kinematics, by the function that it inverts.

    In the callables, `reference` is the numeric reference of the robot (dynamics in numpy), and q
    contains sampled joint positions, shape (states, nq).

    Attributes:
        inputs: the callable `inputs(reference, q)`, which returns inputs of the inverse function
            for which a solution exists, such as the poses at q.
        measure: the callable `measure(reference, outputs, *inputs, q)`, which returns the arrays
            that a proof compares with `ExpectedResults.outputs`. The argument `outputs` contains
            the results of the generated function for `inputs`.
    """

    inputs: Callable[[Any, Any], tuple[Any, ...]]
    measure: Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class ExpectedResults:
    """The results that a proof expects of a function, computed by a numeric reference.

    The numeric reference computes dynamics in numpy from the robot description alone. All callables
    have the same arguments: the numeric reference, then the function's inputs, each with a leading
    axis over the sampled states.

    Attributes:
        outputs: the callable `outputs(reference, *inputs)`, which returns the outputs as arrays
            with a leading axis over states.
        magnitudes: computes, for each element of each output, the sum of the absolute values of its
            terms; rounding errors are proportional to these sums. None is allowed for outputs that
            are linear in joint forces; `outputs` is then called with `reference.magnitudes` instead
            of `reference`.
        defined: computes for each state whether the outputs are well defined. A proof excludes the
            other states, for example states with a nearly singular mass matrix. None excludes no
            state.
        solvable: computes for each state whether the generated function must return the status code
            0 (success). None means all states.
        subjects: parts of the reference that `outputs` uses, among "dynamics", "kinematics" and
            "reactions".
        inverse: the check of a function that inverts another one, such as inverse kinematics. With
            `inverse`, the sampled joint positions are an additional last argument of the other
            callables, and `outputs` returns the expected results of `inverse.measure`.
    """

    outputs: Callable[..., tuple[Any, ...]]
    magnitudes: Callable[..., tuple[Any, ...]] | None = None
    defined: Callable[..., Any] | None = None
    solvable: Callable[..., Any] | None = None
    subjects: tuple[str, ...] = ("dynamics",)
    inverse: InverseCheck | None = None

    def compute_scales(self, reference: Any, *state: Any) -> tuple[Any, ...]:
        """Return, for each element of every output, the sum of the absolute values of its terms.

        Rounding errors of the outputs are proportional to these sums.

        Args:
            reference: the numeric reference.
            state: the function's inputs, each with a leading axis over states.
        """
        magnitudes = self.magnitudes or (
            lambda reference, *state: self.outputs(reference.magnitudes, *state)
        )
        return magnitudes(reference, *state)


def ignore_last_inputs(count: int, function: Callable[..., Any] | None) -> Any:
    """Return a callable that calls `function` without its last inputs; None if `function` is None.

    Args:
        count: number of inputs at the end that are not passed on.
        function: the callable, or None.
    """
    if function is None:
        return None
    return lambda reference, *inputs: function(reference, *inputs[: len(inputs) - count])


@dataclass(frozen=True)
class Availability:
    """The robots, frames and requests for which a function is available.

    Attributes:
        unavailable_because: returns the reason why the function is not available for a robot model,
            or "" if the function is available. The request `all` omits an unavailable function,
            with a note.
        on_request: whether the function is only generated if a request names it; `all` omits it.
        for_frame: returns the function for the name of a frame; None if the function does not
            depend on a frame.
        methods_for_free_joints: names of the recording methods whose results are wrong for robots
            with mimicking joints.
        with_spherical_joints: whether the function is available for robots with spherical joints.
        with_loops: whether the function is available for robots with closed loops.
    """

    unavailable_because: Callable[[RobotModel], str] = lambda model: ""
    on_request: bool = False
    for_frame: Callable[[str], DynamicsFunction] | None = None
    methods_for_free_joints: tuple[str, ...] = ()
    with_spherical_joints: bool = True
    with_loops: bool = False

    def explain_absence(self, model: RobotModel) -> str:
        """Return the reason why a robot does not have the function, or an empty string."""
        if model.spherical_joints and not self.with_spherical_joints:
            (joint, *_) = model.spherical_joints
            return (
                f"the robot has a spherical joint ({joint.name.removesuffix('.x')}), which this "
                "function "
                "does not support; write three revolute joints instead"
            )
        if model.closure and not self.with_loops:
            return (
                "the robot has closed loops, which this function does not support; request for "
                "example "
                "inverse_dynamics, mass_matrix or forward_dynamics (docs/closed_loops.md)"
            )
        return self.unavailable_because(model)


@dataclass(frozen=True)
class DynamicsFunction:
    """A function of the rigid-body model that dynagen can generate.

    Attributes:
        name: the standard name of the function in robotics.
        formula: the mathematical definition in one line, such as `tau = M(q) qdd + C(q, qd) qd +
            g(q)`.
        inputs: returns the input arguments for a robot model, without run-time parameters.
        outputs: returns the output arguments for a robot model, without the status code.
        methods: recording methods by name; each is called with a `Recording`, and returns the
            values of the outputs. A single method has the name "". All methods of a function
            compute the same results; the method with the cheapest program for a robot is chosen.
        expected_results: how the numeric references compute the results, for the proof.
        availability: robots and frames for which the function is available.
        as_described: whether the function is recorded for the robot as described, as base
            parameters require. Otherwise, inertia that a joint cannot observe may be moved to the
            parent body (regrouping).
        keeps_loads: whether regrouping must not change motor inertias and the loads of
            transmissions and bearings, because the function's results depend on each of them.
        base_parameters: whether the function uses base parameters; their definitions are then part
            of its documentation.
        depends_on: the inertial parameters on which the results depend.
        asked_as: the name in the user's request if it differs from `name`, such as
            `jacobian@camera` or `mass_matrix+gravity_forces`; otherwise "".
    """

    name: str
    formula: str
    inputs: Arguments
    outputs: Arguments
    methods: Mapping[str, Record] = field(hash=False)
    expected_results: ExpectedResults
    availability: Availability = Availability()
    as_described: bool = False
    keeps_loads: bool = False
    base_parameters: bool = False
    depends_on: Dependence = Dependence.OBSERVABLE
    asked_as: str = ""

    @property
    def method(self) -> str:
        """Name of the first recording method, which is the default."""
        return next(iter(self.methods))

    @property
    def request(self) -> str:
        """The name by which users request the function, such as `jacobian@camera`."""
        return self.asked_as or self.name

    def regroups(self, model: RobotModel) -> bool:
        """Return whether the function's program may use regrouped inertial parameters of a robot.

        Regrouping moves inertia that a joint cannot observe to the parent body, and keeps the joint
        forces. Return False if this could change the function's results, or if no inertial
        parameter affects them.
        """
        return self.depends_on is Dependence.OBSERVABLE or (
            self.depends_on is Dependence.ALL_MOMENTUM and model.floats
        )

    def bind_to_frame(self, frame: str) -> DynamicsFunction:
        """Return the function for a named frame, for example `jacobian_at_camera`.

        This method does not check that a robot has the frame.

        Raises:
            UsageError: the function does not depend on a frame.
        """
        for_frame = self.availability.for_frame
        if for_frame is None:
            raise UsageError(f"{self.name} does not depend on a frame: leave out `@{frame}`")
        return replace(
            for_frame(frame),
            name=f"{self.name}_at_{make_identifier(frame)}",
            asked_as=f"{self.name}@{frame}",
        )

    def require(self, model: RobotModel) -> None:
        """Require that the function is available for a robot.

        Raises:
            UsageError: the function is not available; the message contains the reason.
        """
        if reason := self.availability.explain_absence(model):
            raise UsageError(f"{self.request} is not available for {model.name}: {reason}")

    def restrict_to_robot(self, model: RobotModel) -> DynamicsFunction:
        """Return the function with only the recording methods that are correct for a robot.

        For a robot with mimicking joints, methods that require independent joints are left out.
        """
        wrong_methods = self.availability.methods_for_free_joints if model.has_mimics else ()
        if not wrong_methods:
            return self
        return replace(
            self,
            methods={
                name: record for name, record in self.methods.items() if name not in wrong_methods
            },
        )

    def list_inputs(self, model: RobotModel) -> tuple[Argument, ...]:
        """Return the input arguments for a robot, with the run-time parameters (if any) last."""
        parameters = (make_parameter_argument(model.parameters),) if model.parameters else ()
        return (*self.inputs(model), *parameters)

    def build(self, model: RobotModel, method: str | None = None) -> Program:
        """Return the function's program for a robot as described, before optimisation.

        Vectors are in axes that move with the bodies, and no inertia is moved between bodies.

        Args:
            model: the robot.
            method: name of the recording method; None means the first method.

        Raises:
            UsageError: the function is not available for this robot.
        """
        self.require(model)
        return self.build_for(make_described_candidate(model), method)

    def build_for(self, candidate: Candidate, method: str | None = None) -> Program:
        """Return the function's program for a candidate, validated but before optimisation.

        Args:
            candidate: the robot model and the choice of formulation for each body.
            method: name of the recording method; None means the first method.
        """
        model = candidate.model
        recorder = Recorder(
            Builder(self.name, self.list_inputs(model)),
            [parameter.name for parameter in model.parameters],
        )
        results = self.record_into(recorder, candidate, method)
        return validate(recorder.finish(zip(self.outputs(model), results, strict=True)))

    def record_into(
        self, recorder: Recorder, candidate: Candidate, method: str | None = None
    ) -> Results:
        """Record the function into a recorder; return the values of each output, row-major.

        Args:
            recorder: recorder to which the operations are added.
            candidate: the robot model and the choice of formulation for each body.
            method: name of the recording method; None means the first method.
        """
        return self.methods[self.method if method is None else method](
            self.begin_recording(recorder, candidate)
        )

    def begin_recording(self, recorder: Recorder, candidate: Candidate) -> Recording:
        """Return the recording with which a recording method of the function is called.

        The recording contains the robot's bodies only if the function has the input q.

        Args:
            recorder: recorder to which the operations are added.
            candidate: the robot model and the choice of formulation for each body.
        """
        takes_positions = any(argument.name == "q" for argument in self.inputs(candidate.model))
        return begin_recording(recorder, candidate, takes_positions)


@dataclass(frozen=True, kw_only=True)
class ComposedFunction(DynamicsFunction):
    """A function that consists of calls of another function, its callee.

    Attributes:
        callee: the function that is called. Its recording methods are the methods of the composed
            function, and its first output is the result of a call.
        composition: the calls and the operations between them.
    """

    callee: DynamicsFunction
    composition: Composition

    def restrict_to_robot(self, model: RobotModel) -> DynamicsFunction:
        """Return the function with only the recording methods that are correct for a robot.

        The callee is restricted to such methods too.
        """
        restricted = super().restrict_to_robot(model)
        assert isinstance(restricted, ComposedFunction)  # `replace` keeps the class
        return replace(restricted, callee=self.callee.restrict_to_robot(model))

    def build_for(self, candidate: Candidate, method: str | None = None) -> Program:
        """Return the program for a candidate, with the callee's program inlined at each call.

        Args:
            candidate: the robot model and the choice of formulation for each body.
            method: name of the callee's recording method; None means the first method.
        """
        return self.compose(self.callee.build_for(candidate, method), candidate.model)

    def compose(self, called: Program, model: RobotModel) -> Program:
        """Return the function's program, with the callee's program inlined once for each call.

        Args:
            called: program of the callee for the robot.
            model: the robot.
        """
        # After hoisting, `params` has the elements that `prepare` computes.
        prepared = (argument for argument in called.inputs if argument.name == PARAMS)
        return inline(
            self.name,
            self.composition,
            called,
            (*self.inputs(model), *prepared),
            self.outputs(model),
        )
