"""Compilation of a function for a robot: the search for its cheapest program.

For each method of the function, compilation has these steps.

1. Choose candidates (`_choose_candidates`): estimate the cost of a handful of usual formulations.
   Keep the cheapest candidate, and the second cheapest if it is small and about as cheap. With a
   search, add the candidates with the lowest quick estimates, and the best candidate of a
   coordinate descent.
2. For a fused function, choose candidates for its parts too (`_choose_part_candidates`). With one
   candidate for all parts, the parts share values; with a separate candidate for each part, the
   program may be even cheaper.
3. Record the function for each candidate and run the passes (`_compile_candidates`). Without a
   search, the last pass (resubstitution) runs on the cheapest program, and compilation ends.
4. With a search, factor all programs that cost at most 5 % more than the cheapest one.

A search then has further steps (`_search_finalists`), for the requested method or else for the
cheapest method.

5. Alternate resubstitution and factoring for the three cheapest programs, with half of the budget.
6. If the program is small, start many short searches from it (`_restart_small`).
7. Spend the second half of the budget on the best program that steps 5 and 6 have found.
8. Replace resynthesis windows of the best program where that does not raise the cost.

The steps above use the following terms.

- Estimate: the cost of a candidate without a run of the passes. The quick estimate applies rules to
  single operations. The slower, close estimate includes savings by collected sums and shared
  products.
- Coordinate descent: improve the choice for one body at a time.
- Fused function: one program that computes several functions, which are its parts.
- Factoring: multiply out products of sums, then take out common factors and divisors again.
- Resubstitution: compute a value by one operation from values that exist already.
- Resynthesis window: a few connected values that the shortest equivalent program replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count as counting

from dynagen.dynamics.candidate import ARTICULATED, Candidate, make_described_candidate
from dynagen.dynamics.function import ComposedFunction, DynamicsFunction, split_methods
from dynagen.dynamics.requests import FusedFunction
from dynagen.ir.cost import Cost, OperationCount, compute_cost, count
from dynagen.ir.program import Program
from dynagen.numbers.exact import Exact
from dynagen.optimizer.clusters import (
    Partition,
    choose_partition,
    join_joints,
    search_partition,
)
from dynagen.optimizer.effort import DEFAULT_OPTIMIZE, Effort
from dynagen.optimizer.estimation import CandidateEstimator
from dynagen.optimizer.formulation import (
    DesignSpace,
    find_candidate,
    select_candidates,
)
from dynagen.optimizer.passes.manager import Optimised, PassRecord, run_last_pass, run_passes
from dynagen.optimizer.search.step import (
    factor_small,
    search_by_resubstitution,
    search_factors,
    search_windows,
    search_with_restarts,
)
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import has_known_geometry
from dynagen.stages import Stages
from dynagen.watch import Watch, begin_watch

_CLOSE = 1.05  # programs that cost up to 1.05 times the lowest cost are factored
_FINALISTS = 3  # programs for which the search goes on
_SMALL = 100  # operations; searches of larger programs with different seeds reach similar costs
_PARTITION_SHARE = 8  # of the budget, for the search for clusters of joints


@dataclass(frozen=True)
class CompiledFunction:
    """The cheapest program of a function, with a record of how the program was found.

    Attributes:
        definition: the function.
        method: name of the method by which the program was recorded: the requested method, or else
            the cheapest one (the first of several with equal cost).
        choice: the candidate (robot model and choices for its bodies) for which the program was
            recorded.
        recorded: the program before all passes.
        program: the program after all passes and searches.
        passes: a record of each pass and each step of the search.
        considered: each compared method, with the operation count of its program.
        formulas: magnitudes of constants, each with a short formula for comments.
        called: program that the function calls several times, if it is a composed function (such as
            an integrator's step); None for other functions.
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
        """Name of the compiled dynamics function, such as `mass_matrix`."""
        return self.definition.name

    @property
    def operations(self) -> OperationCount:
        """Numbers of operations of one call of the emitted code for one state."""
        return count(self.program)

    @property
    def formulation(self) -> tuple[str, ...]:
        """Sentences on how the robot's frames and inertias were changed to save operations."""
        return self.choice.sentences

    def apply(self, step: Callable[[Optimised], Optimised]) -> CompiledFunction:
        """Return the function after a further step of the optimiser.

        Args:
            step: function from a pair (program, records of its passes) to this pair after the step.
        """
        program, passes = step((self.program, self.passes))
        return replace(self, program=program, passes=passes)


def compile_function(
    function: DynamicsFunction,
    space: DesignSpace,
    effort: Effort,
    method: str | None = None,
    stage: Stages | None = None,
) -> CompiledFunction:
    """Compile a function for a robot by the requested method, or by the cheapest one.

    For a composed function, such as an integrator's step, only the called function is compiled;
    `compose` adds the calls.

    Args:
        function: the function.
        space: formulations to choose from (design space); all functions should share one design
            space, because it caches its models.
        effort: how long to search, and the cost model.
        method: name of the requested method; None for the cheapest method.
        stage: object that reports progress and measures times; None for no reports.
    """
    stage = stage or Stages()
    watch = begin_watch(effort.time_limit)
    if isinstance(function, ComposedFunction):
        callee = compile_function(function.callee, space, effort, method, stage)
        return replace(callee, definition=function)
    part_candidates = {}
    if isinstance(function, FusedFunction):
        part_candidates = {
            (part.name, name): _choose_part_candidates(part, name, space, effort, stage, watch)
            for part in function.parts
            for name in part.methods
        }
    compiled = []
    for name in function.methods:
        candidates = _choose_candidates(function, name, space, effort, stage, watch)
        if isinstance(function, FusedFunction):
            # A common candidate lets parts share values; candidates of their own may be cheaper
            # still. Both are tried.
            parts = zip(function.parts, function.split_method(name), strict=True)
            choices = zip(
                *(part_candidates[part.name, part_method] for part, part_method in parts),
                strict=True,
            )
            candidates += [replace(candidates[0], parts=choice) for choice in choices]
        compiled.append(_compile_candidates(function, name, candidates, effort, stage, watch))
    # The requested method comes before all costs. The methods of a fused function name the methods
    # of its parts: the one in which the requested method occurs most often comes first.
    cheapest = [_find_cheapest(programs, effort) for programs in compiled]
    ranks = [(-split_methods(made.method).count(method), _price(made, effort)) for made in cheapest]
    best = ranks.index(min(ranks))
    if effort.searches:
        # The steps of a compilation without a search may find a cheaper program.
        finished = _finish(cheapest[best], effort)
        searched = _search_finalists(compiled[best], effort, stage, watch)
        cheapest[best] = _find_cheapest([searched, finished], effort)
    # Methods that lost are reported with the cost that they had when they were compared.
    considered = tuple((made.method, made.operations) for made in cheapest)
    return replace(cheapest[best], considered=considered)


def compose(compiled: CompiledFunction, model: RobotModel) -> CompiledFunction:
    """Add the calls to a composed function, which calls another function several times.

    Args:
        compiled: compiled function. A composed function has only the program of the called function
            so far.
        model: the robot.

    Returns:
        The function with the program of all calls; other functions are returned unchanged.
    """
    function = compiled.definition
    if not isinstance(function, ComposedFunction):
        return compiled
    recorded, program = (
        function.compose(callee, model) for callee in (compiled.recorded, compiled.program)
    )
    return replace(
        compiled,
        recorded=recorded,
        program=program,
        passes=(),
        considered=(),
        called=compiled.program,
    )


def _choose_candidates(
    function: DynamicsFunction,
    method: str,
    space: DesignSpace,
    effort: Effort,
    stage: Stages,
    watch: Watch,
) -> list[Candidate]:
    """Return the candidates (formulations) with the lowest estimated costs for a method."""
    model = space.described.model
    # With run-time parameters in the geometry, it is unknown which inertia joints can observe. So
    # nothing can be regrouped.
    if not effort.chooses or function.as_described or not has_known_geometry(model):
        return [make_described_candidate(model)]
    if not function.regroups(model):
        space = space.without_regrouping
    elif function.keeps_loads:
        space = space.keeping_loads
    label = _label(function, method)
    estimates = counting()

    def estimate_and_report(candidate: Candidate) -> Cost:
        stage.progress(label, next(estimates) / effort.budget / 4)
        return estimator.estimate(join_joints(candidate, partition))

    with stage("formulation", label):
        estimator = CandidateEstimator(function, method, model, effort.cost)
        usual, partition = space.usual, Partition()
        has_clusters = ARTICULATED in split_methods(method)
        if has_clusters:
            # Partitions are counted for one candidate; other candidates have similar differences.
            cheapest = min(usual, key=estimator.estimate)
            partition = choose_partition(cheapest, estimator.estimate_closely)
            usual = tuple(join_joints(candidate, partition) for candidate in usual)
        candidates = select_candidates(usual, estimator.estimate, estimator.estimate_closely)
        if effort.searches:
            # The candidates of the default effort stay, so that a search never ends with more.
            candidates += select_candidates(usual, estimator.estimate, estimator.estimate)
            if has_clusters:
                partition = search_partition(
                    candidates[0], estimator.estimate, effort.budget // _PARTITION_SHARE
                )
            found = find_candidate(space, estimate_and_report, effort.budget, lambda: watch.is_over)
            candidates.append(join_joints(found, partition))
    return list(dict.fromkeys(candidates))


def _choose_part_candidates(
    part: DynamicsFunction,
    method: str,
    space: DesignSpace,
    effort: Effort,
    stage: Stages,
    watch: Watch,
) -> list[Candidate]:
    """Return the best candidates for one part of a fused function, compiled by itself.

    Without a search, this is one candidate. With a search, the candidate that the search effort
    `default` chooses comes first, then the best candidate of the search.
    """
    usual = replace(effort, optimize=DEFAULT_OPTIMIZE, time_limit=None)
    efforts = [usual] if effort.searches else []
    chosen = []
    for effort_of_part in (*efforts, effort):
        candidates = _choose_candidates(part, method, space, effort_of_part, stage, watch)
        if len(candidates) > 1:
            compiled = _compile_candidates(part, method, candidates, effort_of_part, stage, watch)
            candidates = [_find_cheapest(compiled, effort_of_part).choice]
        chosen += candidates
    return chosen


def _compile_candidates(
    function: DynamicsFunction,
    method: str,
    candidates: Sequence[Candidate],
    effort: Effort,
    stage: Stages,
    watch: Watch,
) -> list[CompiledFunction]:
    """Record a function for some candidates (formulations) and optimise the programs.

    Without a search, only the cheapest program is returned. For a search, all programs that cost at
    most 5 % more than the cheapest one are factored and returned.
    """
    label = _label(function, method)
    with stage("program", label):
        recorded = [function.build_for(candidate, method) for candidate in candidates]
    with stage("passes", label):
        compiled = [
            CompiledFunction(
                function, method, candidate, program, *run_passes(program, effort.cost)
            )
            for candidate, program in zip(candidates, recorded, strict=True)
        ]
        if not effort.searches:
            cheapest = _find_cheapest(compiled, effort)
            return [_finish(cheapest, effort)]
        # Resubstitution waits until factoring is done, because it computes values from unlike
        # values, and hides their common factors.
        limit = _CLOSE * min(_price(made, effort)[0] for made in compiled)
        close = [made for made in compiled if _price(made, effort)[0] <= limit]
        factored: list[CompiledFunction] = []
        for place, made in enumerate(close):
            best = min(each.operations.total for each in (*close, *factored))
            stage.progress(_label_best(label, best), (1 + place / len(close)) / 4)
            factored.append(
                made.apply(
                    lambda optimised: search_factors(optimised, effort.cost, effort.budget, watch)
                )
            )
        return factored


def _finish(compiled: CompiledFunction, effort: Effort) -> CompiledFunction:
    """Resubstitute and, separately, factor a program; return the cheaper result.

    This is the last step if there is no search. The search effort `none` only resubstitutes.
    """
    plain = compiled.apply(lambda optimised: run_last_pass(optimised, effort.cost))
    if not effort.chooses:
        return plain
    factored = compiled.apply(lambda optimised: factor_small(optimised, effort.cost))
    return _find_cheapest([plain, factored], effort)


def _search_finalists(
    compiled: Sequence[CompiledFunction], effort: Effort, stage: Stages, watch: Watch
) -> CompiledFunction:
    """Improve the cheapest programs of one method by searches; return the cheapest result.

    The programs share half of the budget. The best result is improved with the other half.
    """
    label = _label(compiled[0].definition, compiled[0].method)
    best = [min(made.operations.total for made in compiled)]

    def search(made: CompiledFunction, trials: int, start: float) -> CompiledFunction:
        def report(done: float, operations: int) -> None:
            best[0] = min(best[0], operations)
            stage.progress(_label_best(label, best[0]), start + done * trials / effort.budget / 2)

        return made.apply(
            lambda optimised: search_by_resubstitution(
                made.recorded, optimised, effort.cost, trials, replace(watch, report=report)
            )
        )

    with stage("passes", label):
        finalists = sorted(compiled, key=lambda made: _price(made, effort))[:_FINALISTS]
        share = effort.budget // (2 * len(finalists))
        # The first half of the progress was formulation and factoring.
        searched = [
            search(made, share, 0.5 + place * share / effort.budget / 2)
            for place, made in enumerate(finalists)
        ]
        searched += _restart_small(compiled, effort, watch)
        rest = effort.budget - len(searched) * share
        found = search(_find_cheapest(searched, effort), rest, 0.75)
        return found.apply(
            lambda optimised: search_windows(
                found.recorded, optimised, effort.cost, effort.budget, watch
            )
        )


def _restart_small(
    compiled: Sequence[CompiledFunction], effort: Effort, watch: Watch
) -> Iterator[CompiledFunction]:
    """Yield the result of many short searches from the cheapest unfactored program.

    Nothing is yielded if this program is not small.
    """
    # Factoring never adds operations: if all programs are large now, they were large before, and
    # the passes need not run again.
    if min(count(made.program).total for made in compiled) > _SMALL or watch.is_over:
        return

    def run_passes_again(made: CompiledFunction) -> CompiledFunction:
        return made.apply(lambda _: run_passes(made.recorded, effort.cost))

    start = _find_cheapest([run_passes_again(made) for made in compiled], effort)
    if count(start.program).total <= _SMALL:
        # The search begins with the unfactored program: the factoring before has led it to one
        # optimum.
        yield start.apply(
            lambda optimised: search_with_restarts(
                start.recorded, optimised, effort.cost, effort.budget, watch
            )
        )


def _find_cheapest(compiled: Sequence[CompiledFunction], effort: Effort) -> CompiledFunction:
    """Return the function with the cheapest program, or the first of several with equal cost."""
    return (
        min(compiled, key=lambda made: _price(made, effort)) if len(compiled) > 1 else compiled[0]
    )


def _price(compiled: CompiledFunction, effort: Effort) -> Cost:
    """Return the cost of one call of a function, without the operations of `prepare`."""
    return compute_cost(compiled.program, effort.cost)


def _label(function: DynamicsFunction, method: str) -> str:
    """Return the names of a function and its method for progress reports."""
    return f"{function.name} {method}".rstrip()


def _label_best(label: str, operations: int) -> str:
    """Return a label for progress reports: `label` and the best program's number of operations."""
    return f"{label}, best {operations}"
