"""Compile a function for a robot: the program that costs least, and the choices that led to it.

candidates -> estimates -> a few recorded and optimised by the passes -> with a search, factored anew -> the cheapest

for each method of the function. Every program is made once, and kept until it is known whether it is the one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count as counting

from dynagen.dynamics.candidate import Candidate, as_described
from dynagen.dynamics.composing import ComposedFunction
from dynagen.dynamics.function import DynamicsFunction, split_methods
from dynagen.dynamics.joining import JoinedFunction
from dynagen.ir.cost import Cost, OperationCount, cost_of, count
from dynagen.ir.program import Program
from dynagen.numbers.exact import Exact
from dynagen.optimizer.effort import DEFAULT_OPTIMIZE, Effort
from dynagen.optimizer.formulation import (
    CandidateEstimator,
    DesignSpace,
    find_candidate,
    select_candidates,
)
from dynagen.optimizer.passes.manager import Optimised, PassRecord, run_last_pass, run_passes
from dynagen.optimizer.search.step import (
    refactored,
    search_by_resubstitution,
    search_windows,
    search_with_restarts,
)
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import has_known_geometry
from dynagen.stages import Stages

_CLOSE = 1.05  # what the passes leave of candidates, in terms of the cheapest, that are worth a search for better factors
_FINALISTS = 3  # of these, for which the search goes on
_SMALL = 100  # operations; of larger programs searches of different seeds end close to each other


@dataclass(frozen=True)
class CompiledFunction:
    """A function's cheapest program, and how it was found.

    Attributes:
        method: the one of the function's methods that was taken.
        choice: the candidate that it was recorded for.
        recorded, program: before and after all passes.
        passes: what each of them did.
        considered: every method with the operations of a call; unless one was asked for the cheapest is taken, of equals the
            first.
        formulas: what constants of the program are made of, by magnitude, as far as that is short.
        called: of a composed function, the program that it calls.
    """

    definition: DynamicsFunction
    method: str
    choice: Candidate
    recorded: Program
    program: Program
    passes: tuple[PassRecord, ...]
    considered: tuple[tuple[str, OperationCount], ...] = ()
    formulas: tuple[tuple[Exact, str], ...] = ()
    called: Program | None = None

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.definition.name

    @property
    def operations(self) -> OperationCount:
        """The operations of one call of the emitted code."""
        return count(self.program)

    @property
    def formulation(self) -> tuple[str, ...]:
        """The rearrangements of the robot's own data that save operations, in sentences."""
        return self.choice.sentences

    def after(self, step: Callable[[Optimised], Optimised]) -> CompiledFunction:
        """The same with the program that a further step makes of its program."""
        program, passes = step((self.program, self.passes))
        return replace(self, program=program, passes=passes)


def compile_function(
    function: DynamicsFunction,
    space: DesignSpace,
    effort: Effort,
    method: str | None = None,
    stage: Stages | None = None,
) -> CompiledFunction:
    """Compile a function by all its methods, and take the one that is asked for, or the one whose calls cost least.

    Args:
        function: the function.
        space: of the robot; the same for all functions, so that what they have in common is made once.
        effort: how to choose.
        method: the one that is asked for; None leaves the choice.
        stage: reports and times what is done.

    Returns:
        Of a composed function what it calls; `compose` makes it whole once that is complete.
    """
    stage = stage or Stages()
    if isinstance(function, ComposedFunction):
        return replace(
            compile_function(function.callee, space, effort, method, stage), definition=function
        )
    of_parts = {}
    if isinstance(function, JoinedFunction):
        of_parts = {
            (part.name, name): _choices(part, name, space, effort, stage)
            for part in function.parts
            for name in part.methods
        }
    compiled = []
    for name in function.methods:
        candidates = _candidates(function, name, space, effort, stage)
        if isinstance(function, JoinedFunction):
            # A common candidate lets parts use the same values; candidates of their own may be cheaper still: both are tried.
            parts = zip(function.parts, function.methods_of_parts(name), strict=True)
            own = zip(*(of_parts[part.name, its] for part, its in parts), strict=True)
            candidates += [replace(candidates[0], parts=each) for each in own]
        compiled.append(_compile(function, name, candidates, effort, stage))
    # The method that is asked for comes before all costs; of a joined function's, the one that has it in most parts.
    cheapest = [_cheapest(each, effort) for each in compiled]
    costs = [(-split_methods(each.method).count(method), _cost(each, effort)) for each in cheapest]
    best = costs.index(min(costs))
    if effort.searches:
        cheapest[best] = _drifted(compiled[best], effort, stage)
    considered = tuple((each.method, each.operations) for each in cheapest)
    return replace(cheapest[best], considered=considered)


def compose(compiled: CompiledFunction, model: RobotModel) -> CompiledFunction:
    """A composed function with the program that its calls amount to; any other as it is."""
    function = compiled.definition
    if not isinstance(function, ComposedFunction):
        return compiled
    recorded, program = (
        function.compose(each, model) for each in (compiled.recorded, compiled.program)
    )
    return replace(
        compiled,
        recorded=recorded,
        program=program,
        passes=(),
        considered=(),
        called=compiled.program,
    )


def _candidates(
    function: DynamicsFunction, method: str, space: DesignSpace, effort: Effort, stage: Stages
) -> list[Candidate]:
    """The few candidates that estimates prefer.

    With run-time parameters in its geometry the robot is taken as described: what is observable at joints depends on the
    geometry. A search looks at what the default effort looks at too, so that it never ends with more.
    """
    model = space.described.model
    if not effort.chooses or function.as_described or not has_known_geometry(model):
        return [as_described(model)]
    space = space if function.regroups(model) else space.without_regrouping
    asked = counting()

    def watched_estimate(candidate: Candidate) -> Cost:
        stage.progress(_of(function, method), next(asked) / effort.budget / 4)
        return estimator.estimate(candidate)

    with stage("formulation", _of(function, method)):
        estimator = CandidateEstimator(function, method, model, effort.cost)
        candidates = select_candidates(space.usual, estimator.estimate, estimator.estimate_closely)
        if effort.searches:
            candidates += select_candidates(space.usual, estimator.estimate, estimator.estimate)
            candidates.append(find_candidate(space, watched_estimate, effort.budget))
    return list(dict.fromkeys(candidates))


def _choices(
    part: DynamicsFunction, method: str, space: DesignSpace, effort: Effort, stage: Stages
) -> list[Candidate]:
    """The candidate that is best for a part of a joined function by itself; with a search, by the default effort too."""
    chosen = []
    for its in (
        (replace(effort, optimize=DEFAULT_OPTIMIZE), effort) if effort.searches else (effort,)
    ):
        candidates = _candidates(part, method, space, its, stage)
        if len(candidates) > 1:
            candidates = [_cheapest(_compile(part, method, candidates, its, stage), its).choice]
        chosen += candidates
    return chosen


def _compile(
    function: DynamicsFunction,
    method: str,
    candidates: Sequence[Candidate],
    effort: Effort,
    stage: Stages,
) -> list[CompiledFunction]:
    """Record a function for some candidates and optimise it; with a search, factor anew what has come close to the best."""
    of = _of(function, method)
    with stage("program", of):
        recorded = [function.build_for(candidate, method) for candidate in candidates]
    with stage("passes", of):
        compiled = [
            CompiledFunction(
                function, method, candidate, program, *run_passes(program, effort.cost)
            )
            for candidate, program in zip(candidates, recorded, strict=True)
        ]
        if not effort.searches:
            return [
                _cheapest(compiled, effort).after(
                    lambda optimised: run_last_pass(optimised, effort.cost)
                )
            ]
        most = _CLOSE * min(_cost(each, effort)[0] for each in compiled)
        close = [each for each in compiled if _cost(each, effort)[0] <= most]
        factored = []
        for place, each in enumerate(close):
            stage.progress(of, (1 + place / len(close)) / 4)
            factored.append(
                each.after(lambda optimised: refactored(optimised, effort.cost, effort.budget))
            )
        return factored


def _drifted(
    compiled: Sequence[CompiledFunction], effort: Effort, stage: Stages
) -> CompiledFunction:
    """The cheapest of a few programs of one function after a search at random: half of it for all, and half for the best."""

    def drift(each: CompiledFunction, trials: int, start: float) -> CompiledFunction:
        def progress(done: float) -> None:
            stage.progress(of, start + done * trials / effort.budget / 2)

        return each.after(
            lambda optimised: search_by_resubstitution(
                each.recorded, optimised, effort.cost, trials, progress
            )
        )

    of = _of(compiled[0].definition, compiled[0].method)
    with stage("passes", of):
        finalists = sorted(compiled, key=lambda each: _cost(each, effort))[:_FINALISTS]
        share = effort.budget // (2 * len(finalists))
        tried = [
            drift(each, share, 0.5 + place * share / effort.budget / 2)
            for place, each in enumerate(finalists)
        ]
        tried += _restarted(compiled, effort)
        best = drift(_cheapest(tried, effort), effort.budget - len(tried) * share, 0.75)
        return best.after(
            lambda optimised: search_windows(best.recorded, optimised, effort.cost, effort.budget)
        )


def _restarted(compiled: Sequence[CompiledFunction], effort: Effort) -> Iterator[CompiledFunction]:
    """What many short searches make of the cheapest before it is factored anew, if it is small enough for these."""
    if min(count(each.program).total for each in compiled) > _SMALL:
        return  # before it was factored anew it had no fewer operations: the passes need not be run again to know that

    def passed(each: CompiledFunction) -> CompiledFunction:
        return each.after(lambda _: run_passes(each.recorded, effort.cost))

    start = _cheapest([passed(each) for each in compiled], effort)
    if count(start.program).total <= _SMALL:
        yield start.after(
            lambda optimised: search_with_restarts(
                start.recorded, optimised, effort.cost, effort.budget
            )
        )


def _cheapest(compiled: Sequence[CompiledFunction], effort: Effort) -> CompiledFunction:
    return min(compiled, key=lambda each: _cost(each, effort)) if len(compiled) > 1 else compiled[0]


def _cost(compiled: CompiledFunction, effort: Effort) -> Cost:
    """The cost of one call; what `prepare` computes does not count."""
    return cost_of(compiled.program, effort.cost)


def _of(function: DynamicsFunction, method: str) -> str:
    return f"{function.name} {method}".rstrip()
