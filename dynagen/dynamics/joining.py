"""Joined functions: one kernel with the results of several functions, as a rule for less than their kernels cost together.

What the parts have in common is recorded once: sines and cosines, frames, velocities, and the composite bodies whose inertias
make the mass matrix and whose first moments make the gravity forces (A. Izaguirre et al., "A New Computational Structure for
Real-Time Dynamics", Int. J. Robotics Research 11(4), 1992, eq. 13).
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
from dynagen.dynamics.composing import ComposedFunction
from dynagen.dynamics.function import Availability, DynamicsFunction, Oracle, Results, join_methods
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.errors import UsageError
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
