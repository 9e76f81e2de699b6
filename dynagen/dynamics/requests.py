"""Requests: functions as users name them -> DynamicsFunctions, fused into one kernel where they are joined by +.

Joined functions: one kernel with the results of several functions, as a rule for less than their kernels cost together.

What the parts have in common is recorded once: sines and cosines, frames, velocities, and the composite bodies whose inertias
make the mass matrix and whose first moments make the gravity forces (A. Izaguirre et al., "A New Computational Structure for
Real-Time Dynamics", Int. J. Robotics Research 11(4), 1992, eq. 13).

Requests: functions as users name them -> DynamicsFunctions.

| request | function |
| --- | --- |
| `mass_matrix` | one of the table |
| `jacobian@camera` | the same for the frame named camera |
| `mass_matrix+gravity_forces` | one kernel with the results of several |
| `all` | the whole table but for variants, and for what is not available for the robot |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import permutations, product
from operator import and_
from typing import Any

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.candidate import Candidate, as_described
from dynagen.dynamics.function import (
    Availability,
    ComposedFunction,
    DynamicsFunction,
    Oracle,
    Results,
    join_methods,
    split_methods,
)
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.recording import Recorder
from dynagen.errors import UsageError, did_you_mean
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_FIRST_INPUTS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class JoinedFunction(DynamicsFunction):
    """A function with the results of others.

    Attributes:
        parts: the others.
    """

    parts: tuple[DynamicsFunction, ...] = ()

    def methods_of_parts(self, method: str | None) -> tuple[str, ...]:
        """The method of every part that a method is made of; None is the first."""
        return _methods(self.parts)[self.method if method is None else method]

    def record_into(
        self, recorder: Recorder, candidate: Candidate, method: str | None = None
    ) -> Results:
        """Record the parts for one candidate, or each for its own."""
        if not candidate.parts:
            return super().record_into(recorder, candidate, method)
        with recorder.memoised():
            own = [
                part.begin(recorder, each)
                for part, each in zip(self.parts, candidate.parts, strict=True)
            ]
            return _record_parts(self.parts, self.methods_of_parts(method), own)


def joined(parts: Sequence[DynamicsFunction], model: RobotModel) -> JoinedFunction:
    """A function with the results of others.

    It takes all that its parts take, q, qd, qdd and tau first, and gives their outputs in the order of the parts. Outputs
    whose names differ in case at most are called after their functions too: `J_jacobian`, `J_jacobian_at_camera`.

    Args:
        parts: what to join.
        model: the robot, as described.

    Raises:
        UsageError: a part occurs twice, or takes what another one gives; names the parts.
    """
    request = "+".join(part.request for part in parts)
    _require_joinable(request, parts, model)
    return JoinedFunction(
        name="_".join(part.name for part in parts),
        formula="; ".join(part.formula for part in parts),
        inputs=partial(_inputs, parts),
        outputs=partial(_outputs, parts),
        methods={
            name: partial(_record, parts, names, model) for name, names in _methods(parts).items()
        },
        oracle=_join_oracles(parts, model),
        availability=Availability(partial(_unavailable_because, parts)),
        as_described=all(part.as_described for part in parts),
        base_parameters=any(part.base_parameters for part in parts),
        depends_on=max(part.depends_on for part in parts),
        asked_as=request,
        parts=tuple(parts),
    )


def _join_oracles(parts: Sequence[DynamicsFunction], model: RobotModel) -> Oracle:
    """The answers of all parts, each asked for its own inputs."""
    order = [argument.name for argument in _inputs(parts, model)]
    places = [[order.index(argument.name) for argument in part.inputs(model)] for part in parts]
    oracles = [part.oracle for part in parts]

    def ask(
        questions: Sequence[Callable[..., Any] | None], reference: Any, *state: Any
    ) -> Iterator[Any]:
        for question, its in zip(questions, places, strict=True):
            if question is not None:
                yield question(reference, *(state[place] for place in its))

    def results(questions: Sequence[Callable[..., Any]], *given: Any) -> tuple[Any, ...]:
        return tuple(result for answer in ask(questions, *given) for result in answer)

    def everywhere(questions: Sequence[Callable[..., Any] | None]) -> Callable[..., Any] | None:
        return (lambda *given: reduce(and_, ask(questions, *given))) if any(questions) else None

    return Oracle(
        partial(results, [each.expected for each in oracles]),
        magnitudes=partial(results, [each.scales for each in oracles]),
        defined=everywhere([each.defined for each in oracles]),
        solvable=everywhere([each.solvable for each in oracles]),
        subjects=tuple(dict.fromkeys(subject for each in oracles for subject in each.subjects)),
    )


def _unavailable_because(parts: Sequence[DynamicsFunction], model: RobotModel) -> str:
    return next(
        (reason for part in parts if (reason := part.availability.unavailable_because(model))), ""
    )


def _require_joinable(request: str, parts: Sequence[DynamicsFunction], model: RobotModel) -> None:
    twice = [name for name, times in Counter(part.name for part in parts).items() if times > 1]
    if twice:
        raise UsageError(f"{request}: {twice[0]} occurs more than once; name every part once")
    for part in parts:
        if isinstance(part, ComposedFunction):
            raise UsageError(
                f"{request}: {part.name} is made of calls of {part.callee.name} and cannot be joined; name it separately: "
                f"-f {part.request}"
            )
    for giving, taking in permutations(parts, 2):
        given = {argument.name for argument in giving.outputs(model)}
        for argument in taking.inputs(model):
            if argument.name in given:
                raise UsageError(
                    f"{request}: {taking.name} takes {argument.name}, which {giving.name} gives, so that one call cannot do "
                    f"both; name them separately: -f {giving.request} -f {taking.request}"
                )


def _inputs(parts: Sequence[DynamicsFunction], model: RobotModel) -> tuple[Argument, ...]:
    taken = {argument.name: argument for part in parts for argument in part.inputs(model)}
    first = [name for name in _FIRST_INPUTS if name in taken]
    return tuple(taken[name] for name in dict.fromkeys([*first, *taken]))


def _outputs(parts: Sequence[DynamicsFunction], model: RobotModel) -> tuple[Argument, ...]:
    given = [(part, argument) for part in parts for argument in part.outputs(model)]
    times = Counter(argument.name.lower() for _, argument in given)  # Fortran ignores case
    return tuple(
        replace(argument, name=f"{argument.name}_{part.name}")
        if times[argument.name.lower()] > 1
        else argument
        for part, argument in given
    )


def _methods(parts: Sequence[DynamicsFunction]) -> Mapping[str, tuple[str, ...]]:
    """Every combination of the parts' methods, under the names of those of which there is a choice."""
    return {join_methods(names): names for names in product(*(part.methods for part in parts))}


def _record(
    parts: Sequence[DynamicsFunction],
    methods: Sequence[str],
    described: RobotModel,
    recording: Recording,
) -> Results:
    """Record the parts in the same frames; those that depend on the description in the described ones."""
    recorder = recording.recorder
    with recorder.memoised():
        own = [
            part.begin(recorder, as_described(described)) if part.as_described else recording
            for part in parts
        ]
        return _record_parts(parts, methods, own)


def _record_parts(
    parts: Sequence[DynamicsFunction], methods: Sequence[str], recordings: Sequence[Recording]
) -> Results:
    """Record every part for its own model, in its own frames: all of these come first, as joint positions do in any kernel."""
    results: Results = ()
    for part, method, recording in zip(parts, methods, recordings, strict=True):
        results += part.methods[method](recording)
    return results


ALL = "all"

# What other programs and books call them.
_ALIASES = {
    **dict.fromkeys(("rnea", "id", "newton_euler"), "inverse_dynamics"),
    **dict.fromkeys(("aba", "fd"), "forward_dynamics"),
    **dict.fromkeys(("crba", "inertia_matrix", "m"), "mass_matrix"),
    **dict.fromkeys(("fk", "fkine"), "forward_kinematics"),
    **dict.fromkeys(("gravity", "gravload", "g"), "gravity_forces"),
    **dict.fromkeys(("nle", "nonlinear_effects", "h"), "bias_forces"),
}
_KNOWN = {function.name: function for function in FUNCTIONS}
_PLACES = {function.name: place for place, function in enumerate(FUNCTIONS)}


def find_functions(requests: Sequence[str], model: RobotModel) -> tuple[DynamicsFunction, ...]:
    """Functions in the order of the table, for named frames after those for the tool, joined ones last; each of them once.

    Args:
        requests: what the user asks for.
        model: the robot, as described.

    Raises:
        UsageError: there is no such function; names the nearest. Or it has to do with no frame, cannot be joined, or is not
            available for this robot. Or nothing is asked for.
    """
    if not requests:
        raise UsageError("no function is asked for; name one, as inverse_dynamics, or all")
    single = [
        (request, _function(request, model))
        for request in requests
        if request != ALL and "+" not in request
    ]
    single += [
        (function.name, function.for_robot(model))
        for function in _all(requests)
        if not function.availability.unavailable_because(model)
    ]
    single.sort(key=lambda entry: (_PLACES[entry[0].partition("@")[0]], "@" in entry[0]))
    joined_functions = [
        joined([_function(part, model) for part in request.split("+")], model)
        for request in requests
        if "+" in request
    ]
    functions = tuple(
        {
            function.name: function
            for function in [*(function for _, function in single), *joined_functions]
        }.values()
    )
    for function in functions:
        function.require(model)
    return functions


def left_out(requests: Sequence[str], model: RobotModel) -> tuple[str, ...]:
    """For every function of `all` that is not available for a robot, its name and why."""
    return tuple(
        f"{function.name} is left out: {reason}"
        for function in _all(requests)
        if (reason := function.availability.unavailable_because(model))
    )


def require_method(method: str | None, functions: Sequence[DynamicsFunction]) -> None:
    """Refuse a method that none of the functions has.

    Raises:
        UsageError: names the methods that they have.
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
            else "these functions offer no choice of methods"
        )
        raise UsageError(f"unknown method {method!r}: {expected}")


def _all(requests: Sequence[str]) -> Iterator[DynamicsFunction]:
    """The functions that `all` stands for, if it is among the requests."""
    return (
        function
        for function in FUNCTIONS
        if ALL in requests and not function.availability.on_request
    )


def _function(request: str, model: RobotModel) -> DynamicsFunction:
    name, at, frame = request.partition("@")
    if name == ALL:
        raise UsageError(
            f"`{ALL}` stands alone: name the functions that are to be joined, or that are for a frame"
        )
    if "," in request:
        names = request.replace(",", " ").split()
        raise UsageError(
            f"`{request}` is no function: repeat -f for several kernels (-f {' -f '.join(names)}), "
            f"or join them with + for one kernel with all results (-f {'+'.join(names)})"
        )
    if name not in _KNOWN:
        hint = (
            did_you_mean(name, _KNOWN, _ALIASES)
            or f"; expected one of {', '.join(_KNOWN)}, or {ALL}"
        )
        raise UsageError(f"unknown function `{name}`{hint}")
    function = _KNOWN[name].at(frame) if at else _KNOWN[name]
    return function.for_robot(model)
