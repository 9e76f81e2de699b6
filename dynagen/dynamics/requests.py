"""Requests: the names by which users request functions, and their DynamicsFunctions.

| request | function |
| --- | --- |
| `mass_matrix` | a function of the table |
| `jacobian@camera` | the function for the frame named camera |
| `mass_matrix+gravity_forces` | a fused function: one kernel with the results of several |
| `all` | all available functions, except variants that users must request by name |

A fused function usually needs fewer operations than separate kernels, because common steps are
recorded once: sines and cosines, frames, velocities and composite bodies (Izaguirre, Hashimoto,
Paul and Hayward, "A New Computational Structure for Real-Time Dynamics", International Journal of
Robotics Research 11(4), 1992).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import permutations, product
from operator import and_
from typing import Any

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.candidate import Candidate, make_described_candidate
from dynagen.dynamics.function import (
    Availability,
    ComposedFunction,
    DynamicsFunction,
    ExpectedResults,
    Results,
    join_methods,
    split_methods,
)
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.recording import Recorder
from dynagen.errors import UsageError, suggest_word
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_FIRST_INPUTS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class FusedFunction(DynamicsFunction):
    """A fused function: one kernel with the results of several functions.

    Attributes:
        parts: the functions that are fused.
    """

    parts: tuple[DynamicsFunction, ...] = ()

    def split_method(self, method: str | None) -> tuple[str, ...]:
        """Return the name of the recording method of every part, in the order of `parts`.

        `method` contains these names joined by `+`, such as `carried+two-axes`; None means the
        first method of each part.
        """
        return _methods(self.parts)[self.method if method is None else method]

    def record_into(
        self, recorder: Recorder, candidate: Candidate, method: str | None = None
    ) -> Results:
        """Record all parts into a recorder; return the values of each output, row-major.

        Args:
            recorder: recorder to which the operations are added.
            candidate: the formulation; if `candidate.parts` is not empty, it has one formulation
                for each part.
            method: names of the parts' methods, joined by `+`; None means the first method of each.
        """
        if not candidate.parts:
            return super().record_into(recorder, candidate, method)
        with recorder.memoise():
            recordings = [
                part.begin_recording(recorder, candidate_of_part)
                for part, candidate_of_part in zip(self.parts, candidate.parts, strict=True)
            ]
            return _record_parts(self.parts, self.split_method(method), recordings)


def fuse_functions(parts: Sequence[DynamicsFunction], model: RobotModel) -> FusedFunction:
    """Return the fused function of several functions.

    The inputs of the fused function are the inputs of its parts, each once: q, qd, qdd and tau
    first. The outputs are in the order of the parts. If two outputs have the same name (ignoring
    case), the names of their functions are appended, for example `J_jacobian` and
    `J_jacobian_at_camera`.

    Args:
        parts: the functions to fuse.
        model: the robot, as described.

    Raises:
        UsageError: a part occurs twice, consists of calls of another function (as `step` does), is
            inverse kinematics, or has an input that another part computes.
    """
    request = "+".join(part.request for part in parts)
    _require_fusible(request, parts, model)
    return FusedFunction(
        name="_".join(part.name for part in parts),
        formula="; ".join(part.formula for part in parts),
        inputs=partial(_inputs, parts),
        outputs=partial(_outputs, parts),
        methods={
            name: partial(_record, parts, names, model) for name, names in _methods(parts).items()
        },
        expected_results=_join_expected_results(parts, model),
        availability=Availability(partial(_unavailable_because, parts), with_loops=True),
        as_described=all(part.as_described for part in parts),
        keeps_loads=any(part.keeps_loads for part in parts),
        base_parameters=any(part.base_parameters for part in parts),
        depends_on=max(part.depends_on for part in parts),
        asked_as=request,
        parts=tuple(parts),
    )


def _join_expected_results(parts: Sequence[DynamicsFunction], model: RobotModel) -> ExpectedResults:
    """Return the expected results of a fused function, joined from those of its parts."""
    order = [argument.name for argument in _inputs(parts, model)]
    places = [[order.index(argument.name) for argument in part.inputs(model)] for part in parts]
    expected_results = [part.expected_results for part in parts]

    def evaluate(
        functions: Sequence[Callable[..., Any] | None], reference: Any, *state: Any
    ) -> Iterator[Any]:
        for function, own_places in zip(functions, places, strict=True):
            if function is not None:
                yield function(reference, *(state[place] for place in own_places))

    def join(functions: Sequence[Callable[..., Any]], *inputs: Any) -> tuple[Any, ...]:
        return tuple(result for results in evaluate(functions, *inputs) for result in results)

    def intersect(functions: Sequence[Callable[..., Any] | None]) -> Callable[..., Any] | None:
        if not any(functions):
            return None
        return lambda *inputs: reduce(and_, evaluate(functions, *inputs))

    return ExpectedResults(
        partial(join, [each.outputs for each in expected_results]),
        magnitudes=partial(join, [each.compute_scales for each in expected_results]),
        defined=intersect([each.defined for each in expected_results]),
        solvable=intersect([each.solvable for each in expected_results]),
        subjects=tuple(dict.fromkeys(name for each in expected_results for name in each.subjects)),
    )


def _unavailable_because(parts: Sequence[DynamicsFunction], model: RobotModel) -> str:
    """Return why a fused function's first unavailable part is unavailable, or an empty string."""
    return next(
        (reason for part in parts if (reason := part.availability.explain_absence(model))), ""
    )


def _require_fusible(request: str, parts: Sequence[DynamicsFunction], model: RobotModel) -> None:
    """Raise UsageError unless one call can compute all parts; `request` begins the message."""
    twice = [name for name, times in Counter(part.name for part in parts).items() if times > 1]
    if twice:
        raise UsageError(f"{request}: {twice[0]} occurs more than once; name every part once")
    for part in parts:
        if isinstance(part, ComposedFunction):
            raise UsageError(
                f"{request}: {part.name} cannot be fused, because it only calls "
                f"{part.callee.name}; "
                f"request it separately: -f {part.request}"
            )
        if part.expected_results.inverse is not None:
            raise UsageError(
                f"{request}: {part.name} cannot be fused, because its proof requires special "
                "states; "
                f"request it separately: -f {part.request}"
            )
    # An input that another part computes would need an order of the parts, and the value of one
    # call in another.
    for producer, consumer in permutations(parts, 2):
        computed = {argument.name for argument in producer.outputs(model)}
        for argument in consumer.inputs(model):
            if argument.name in computed:
                raise UsageError(
                    f"{request}: {consumer.name} has the input {argument.name}, which "
                    f"{producer.name} computes, so they cannot be fused; request them separately: "
                    f"-f {producer.request} -f {consumer.request}"
                )


def _inputs(parts: Sequence[DynamicsFunction], model: RobotModel) -> tuple[Argument, ...]:
    """Return the inputs of all parts, each once: q, qd, qdd and tau first."""
    # Equal names are the same argument: parts share q, qd and the parameters.
    inputs = {argument.name: argument for part in parts for argument in part.inputs(model)}
    first = [name for name in _FIRST_INPUTS if name in inputs]
    return tuple(inputs[name] for name in dict.fromkeys([*first, *inputs]))


def _outputs(parts: Sequence[DynamicsFunction], model: RobotModel) -> tuple[Argument, ...]:
    """Return the outputs of all parts; equal names get the names of the parts as suffixes."""
    outputs = [(part, argument) for part in parts for argument in part.outputs(model)]
    times = Counter(argument.name.lower() for _, argument in outputs)  # Fortran ignores case
    return tuple(
        replace(argument, name=f"{argument.name}_{part.name}")
        if times[argument.name.lower()] > 1
        else argument
        for part, argument in outputs
    )


def _methods(parts: Sequence[DynamicsFunction]) -> Mapping[str, tuple[str, ...]]:
    """Return a mapping from each method of a fused function to the names of its parts' methods."""
    return {join_methods(names): names for names in product(*(part.methods for part in parts))}


def _record(
    parts: Sequence[DynamicsFunction],
    methods: Sequence[str],
    described: RobotModel,
    recording: Recording,
) -> Results:
    """Record all parts with one formulation, except parts that require the robot as described.

    The parts whose `as_described` is True use `described`; the other parts use `recording`.
    """
    recorder = recording.recorder
    with recorder.memoise():
        recordings = [
            part.begin_recording(recorder, make_described_candidate(described))
            if part.as_described
            else recording
            for part in parts
        ]
        return _record_parts(parts, methods, recordings)


def _record_parts(
    parts: Sequence[DynamicsFunction], methods: Sequence[str], recordings: Sequence[Recording]
) -> Results:
    """Record every part with its own recording.

    All recordings begin before the first part is recorded, so that the sines and cosines of the
    joint positions come first in the kernel.
    """
    results: Results = ()
    for part, method, recording in zip(parts, methods, recordings, strict=True):
        results += part.methods[method](recording)
    return results


ALL = "all"
_SHORTEST_PART = 4  # letters; shorter words are part of too many names

# Names in other programs (Pinocchio's without `compute`, `get` or `_`) and in books.
_ALIASES = {
    alias: name
    for name, aliases in (
        ("inverse_dynamics", "rnea id newtoneuler"),
        ("forward_dynamics", "aba fd"),
        ("mass_matrix", "crba inertiamatrix inertia m"),
        ("mass_matrix_inverse", "minverse minv"),
        ("forward_kinematics", "fk fkine framesforwardkinematics"),
        ("gravity_forces", "gravity gravload g generalizedgravity"),
        ("bias_forces", "nle nonlineareffects h"),
        ("jacobian", "framejacobian jointjacobian jointjacobians jacob0"),
        ("body_jacobian", "jacobe"),
        ("inverse_dynamics_derivatives", "rneaderivatives"),
        ("forward_dynamics_derivatives", "abaderivatives"),
        ("regressor", "jointtorqueregressor"),
        ("com_jacobian", "jacobiancenterofmass"),
        ("centroidal_momentum_matrix", "ccrba centroidalmap cmm ag"),
        ("centroidal_momentum_derivatives", "centroidaldynamicsderivatives"),
        ("constrained_forward_dynamics", "constraintdynamics"),
        ("impact", "impulsedynamics"),
    )
    for alias in aliases.split()
}
_PLACES = {name: place for place, name in enumerate(FUNCTIONS.names)}


def find_functions(requests: Sequence[str], model: RobotModel) -> tuple[DynamicsFunction, ...]:
    """Return the requested functions, each once, in the order of the table `FUNCTIONS`.

    A function for a named frame follows the same function for the tool. Fused functions come last.

    Args:
        requests: the functions as users name them, such as `mass_matrix`, `jacobian@camera`,
            `mass_matrix+gravity_forces` or `all`.
        model: the robot, as described.

    Raises:
        UsageError: `requests` is empty or contains an unknown function, a frame for a function that
            has no frame, parts that cannot be fused, or a function that is not available for this
            robot.
    """
    if not requests:
        raise UsageError("no function is requested; name one, for example inverse_dynamics, or all")
    single = [
        (request, _function(request, model))
        for request in requests
        if request != ALL and "+" not in request
    ]
    single += [
        (function.name, function.restrict_to_robot(model))
        for function in _all(requests)
        if not function.availability.explain_absence(model)
    ]
    # The order of output does not depend on the order of requests.
    single.sort(key=lambda entry: (_PLACES[entry[0].partition("@")[0]], "@" in entry[0]))
    # Fused functions come last: their names contain the names of their parts.
    fused_functions = [
        fuse_functions([_function(part, model) for part in request.split("+")], model)
        for request in requests
        if "+" in request
    ]
    functions = tuple(
        {
            function.name: function
            # A dict keeps equal names once, for example with `all` and one of its functions.
            for function in [*(function for _, function in single), *fused_functions]
        }.values()
    )
    for function in functions:
        function.require(model)
    return functions


def note_missing_functions(requests: Sequence[str], model: RobotModel) -> tuple[str, ...]:
    """Return a sentence for every function that `all` omits because it is unavailable for a robot.

    Each sentence contains the function's name and the reason. Functions that must be requested by
    name are not mentioned.

    Args:
        requests: the functions as users name them; without `all` the result is empty.
        model: the robot, as described.
    """
    return tuple(
        f"{function.name} is left out: {reason}"
        for function in _all(requests)
        if (reason := function.availability.explain_absence(model))
    )


def require_method(method: str | None, functions: Sequence[DynamicsFunction]) -> None:
    """Require that at least one function has a recording method with a given name.

    Args:
        method: name of the method; None is always accepted.
        functions: the requested functions.

    Raises:
        UsageError: no function has the method; the message lists the names of the methods.
    """
    known = dict.fromkeys(
        name
        for function in functions
        for names in function.methods
        for name in split_methods(names)
    )
    if method is not None and method not in known:
        expected = (
            f"expected one of {', '.join(known)}"
            if known
            else "the requested functions have one method only; omit the method"
        )
        raise UsageError(f"unknown method {method!r}: {expected}")


def _all(requests: Sequence[str]) -> Iterator[DynamicsFunction]:
    """Return the functions of the request `all`; nothing if `requests` does not contain `all`."""
    functions = FUNCTIONS if ALL in requests else ()
    return (function for function in functions if not function.availability.on_request)


def _function(request: str, model: RobotModel) -> DynamicsFunction:
    """Return the function of one request without `+`, such as `jacobian@camera`."""
    name, at, frame = request.partition("@")
    if name == ALL:
        raise UsageError(
            f"`{ALL}` cannot be combined with + or @: name the functions to fuse or to evaluate at "
            "a frame"
        )
    # Commas after @ separate the frames of one function.
    if "," in name:
        names = request.replace(",", " ").split()
        raise UsageError(
            f"unknown function `{request}`: repeat -f for several kernels "
            f"(-f {' -f '.join(names)}), or write + for one kernel with all results "
            f"(-f {'+'.join(names)})"
        )
    if name not in FUNCTIONS.names:
        raise UsageError(f"unknown function `{name}`{suggest_function(name)}")
    function = FUNCTIONS.find(name)
    return (function.bind_to_frame(frame) if at else function).restrict_to_robot(model)


def suggest_function(word: str) -> str:
    """Return names that the user may mean, as the end of an error message.

    Names that other programs use for a function, such as `rnea`, are recognised too.
    """
    alias = _ALIASES.get(re.sub("^(compute|get)|_", "", word.lower()))
    if alias:
        return f"; dynagen calls it `{alias}`"
    if hint := suggest_word(word, FUNCTIONS.names):
        return hint
    related = [
        name for name in FUNCTIONS.names if len(word) >= _SHORTEST_PART and word.lower() in name
    ]
    if related:
        return f"; functions with this word: {', '.join(related)}"
    return "; `dynagen functions` lists all functions"
