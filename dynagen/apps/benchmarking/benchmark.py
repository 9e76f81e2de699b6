"""Comparison and timing of a robot's functions in all installed tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.compilers import Compiler, describe_machine, find_compilers
from dynagen.apps.benchmarking.contender import (
    ONE_STATE,
    Contender,
    compute_difference,
    measure_least_times,
)
from dynagen.apps.benchmarking.merging import (
    reduce_to_urdf,
    require_independent_joints,
    require_no_loads,
)
from dynagen.apps.benchmarking.ours import (
    FROM_C,
    generate_ours,
    make_native_contenders,
    make_python_contenders,
)
from dynagen.apps.benchmarking.pinocchio_native import (
    PinocchioRobot,
    generate_casadi_code,
    make_casadi_contenders,
    make_pinocchio_contenders,
)
from dynagen.apps.benchmarking.python_contenders import (
    make_binding_contenders,
    make_numpy_contenders,
)
from dynagen.apps.benchmarking.roofline import Roof, RoofProbes
from dynagen.apps.benchmarking.states import BenchStates
from dynagen.apps.crosscheck.comparison import WITHIN
from dynagen.apps.crosscheck.mujoco import load_mujoco
from dynagen.apps.crosscheck.pinocchio import load_pinocchio
from dynagen.errors import ToolchainError, UsageError, VerificationError
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.robot.description import RobotDescription
from dynagen.stages import Progress

ContendersByFunction = dict[str, list[Contender]]
_FEW = 3  # functions, for each of which a program with Pinocchio's algorithms is compiled
_FLOAT_WITHIN = 1e-4  # allowed difference of results in single precision
# Functions that solve with the mass matrix, whose condition multiplies rounding errors.
_SOLVES = ("forward_dynamics", "forward_dynamics_derivatives", "mass_matrix_inverse")


@dataclass(frozen=True)
class Effort:
    """Number of states and repetitions of a benchmark.

    Attributes:
        states: number of different states on which the programs run.
        rounds: number of times that each program is timed; the shortest time is reported.
        quick: True to check only that programs run and agree. Only one compiler is used, without
            optimisation.
    """

    states: int
    rounds: int
    quick: bool = False


FULL, QUICK = Effort(1000, 1000), Effort(50, 2, quick=True)


@dataclass(frozen=True)
class Row:
    """Time and error of one program for one function of a robot.

    Attributes:
        tool: name of the tool, with the language from which it is called.
        called: how the program is called, such as `one state per call` or `batch`.
        compiler: compiler of the program; empty if the tool is installed as a binary.
        nanoseconds: time for one state in ns.
        ratio: `nanoseconds` divided by the time of dynagen's generated C with one state per call.
            With several compilers, the shortest time of the generated C is the divisor.
        difference: largest difference from the results of the numeric reference (numpy), divided by
            their largest magnitude.
        roof: lower bounds on `nanoseconds`; None for programs other than dynagen's generated C.
    """

    tool: str
    called: str
    compiler: str
    nanoseconds: float
    ratio: float
    difference: float
    roof: Roof | None = None


@dataclass(frozen=True)
class Benchmark:
    """Results of a benchmark of a robot's functions.

    Attributes:
        robot: name of the robot.
        functions: times and errors of all programs, by name of the function. The rows of dynagen's
            generated C come first.
        notes: sentences on tools and functions that were omitted, with the reasons.
        machine: properties that affect the times, such as `processor`, as texts by name.
    """

    robot: str
    functions: Mapping[str, tuple[Row, ...]]
    notes: tuple[str, ...]
    machine: Mapping[str, str]


def benchmark(
    description: RobotDescription,
    functions: Sequence[str],
    effort: Effort,
    progress: Progress = lambda stage, done: None,
    report: Callable[[str, tuple[Row, ...]], None] = lambda function, rows: None,
) -> Benchmark:
    """Time functions of a robot in all installed tools, after a comparison of the results.

    Args:
        description: the robot. Motor inertias are omitted for all tools, since URDF does not
            contain them.
        functions: names of functions, keys of `ALGORITHMS`; empty for all functions.
        effort: numbers of states and of repetitions, and whether programs are only compared.
        progress: called with the name of the stage that begins, and the completed fraction of the
            timing, from 0 to 1. The fraction is None outside of the timing.
        report: called after each function is timed, with its name and its rows.

    Raises:
        UsageError: a name is not in `ALGORITHMS`, or a function has other inputs than the state,
            such as run-time parameters.
        VerificationError: a tool's results differ from those of the numeric reference; the function
            is not timed.
        ToolchainError: no compiler is installed.
    """
    for function in functions:
        if function not in ALGORITHMS:
            raise UsageError(
                f"expected a function that is timed ({', '.join(ALGORITHMS)}), found `{function}`"
            )
    require_no_loads(description)
    wanted = tuple(dict.fromkeys(functions)) or tuple(ALGORITHMS)
    compilers = find_compilers(effort.quick)
    states = BenchStates.sample(reduce_to_urdf(description), effort.states)
    notes: list[str] = []
    made = [generate_ours(states.robot, wanted, real, progress) for real in (DOUBLE, FLOAT)]
    progress("compiling", None)
    ours = [
        make_native_contenders(generated, states, compiler)
        for generated in made
        for compiler in compilers
    ]
    tools = [*ours, make_python_contenders(made[0], states), make_numpy_contenders(states)]
    if any(link.motor_inertia for link in description.links):
        notes.append(
            "motor inertias are omitted for all tools, since some tools cannot read them; "
            "generated code supports motor inertias"
        )
    progress("measuring bounds", None)
    probes = [RoofProbes(generated, compilers, states.count) for generated in made]
    rows: dict[str, tuple[Row, ...]] = {}
    for group in _group_functions(wanted):
        own, numpy = tools[:-1], tools[-1:]
        found = [*own, *_find_others(states, group, compilers, notes, progress), *numpy]
        contenders = {
            function: [each for tool in found for each in tool.get(function, ())]
            for function in group
        }
        progress("comparing results", None)
        differences = {
            function: _compare_results(function, contenders[function], states) for function in group
        }
        for function in group:
            progress(f"timing {function}", len(rows) / len(wanted))
            rows[function] = _time_function(
                function, contenders[function], differences[function], probes, states, effort
            )
            report(function, rows[function])
    return Benchmark(
        description.name, rows, tuple(dict.fromkeys(notes)), describe_machine(compilers)
    )


def _time_function(
    function: str,
    contenders: Sequence[Contender],
    differences: Sequence[float],
    probes: Sequence[RoofProbes],
    states: BenchStates,
    effort: Effort,
) -> tuple[Row, ...]:
    """Time a function in all tools, and measure the lower bounds on its time.

    The programs in `contenders` and their errors in `differences` have the same order. The
    measurements in `probes` are repeated between the rounds of timing.
    """

    def measure_bounds() -> None:
        for each in probes:
            each.measure(function)

    times = measure_least_times(contenders, states.count, effort.rounds, measure_bounds)
    roofs = {
        called: roof for each in probes for called, roof in each.compute_roofs(function).items()
    }
    return tuple(_make_rows(contenders, times, differences, roofs))


def _group_functions(functions: Sequence[str]) -> list[tuple[str, ...]]:
    """Divide functions into groups; Pinocchio's algorithms for a group are compiled together.

    Groups save time, because each compilation reads Pinocchio's headers. A short list is not
    grouped, so that the user sees the first results early.
    """
    few = len(functions) <= _FEW
    return [(function,) for function in functions] if few else [tuple(functions)]


def _find_others(
    states: BenchStates,
    functions: Sequence[str],
    compilers: Sequence[Compiler],
    notes: list[str],
    progress: Progress,
) -> Iterator[ContendersByFunction]:
    """Yield the programs of all installed tools except dynagen.

    Reasons for omitting a tool are appended to `notes`.
    """

    def attempt(
        name: str, tool: Callable[[], list[ContendersByFunction]]
    ) -> list[ContendersByFunction]:
        progress(f"preparing {name} for {' '.join(functions)}", None)
        try:
            return tool()
        except (ToolchainError, UsageError) as error:
            notes.append(f"{name} is left out: {error}")
            return []

    def casadi(robot: PinocchioRobot) -> list[ContendersByFunction]:
        code = generate_casadi_code(robot, functions, compilers[0])
        return [make_casadi_contenders(code, robot, functions, compiler) for compiler in compilers]

    def pinocchio() -> list[ContendersByFunction]:
        require_independent_joints(states.robot)
        robot = PinocchioRobot(load_pinocchio(states.robot)[0], states)
        cpp = attempt(
            "Pinocchio in C++",
            lambda: [
                make_pinocchio_contenders(robot, functions, compiler) for compiler in compilers
            ],
        )
        recorded = attempt("CasADi", lambda: casadi(robot))
        return [*cpp, *recorded, make_binding_contenders(robot.tool, states)]

    def mujoco() -> list[ContendersByFunction]:
        if any(link.joint.type.is_free for link in states.robot.links):
            raise UsageError(
                "MuJoCo expresses the velocity of a floating base in other axes, so that its "
                "results differ; omit --base floating to include MuJoCo"
            )
        require_independent_joints(states.robot)
        return [make_binding_contenders(load_mujoco(states.robot)[0], states)]

    yield from attempt("Pinocchio", pinocchio)
    yield from attempt("MuJoCo", mujoco)


def _compare_results(
    function: str, contenders: Sequence[Contender], states: BenchStates
) -> list[float]:
    """Return the largest relative error of each program, compared with the numeric reference.

    Raises:
        VerificationError: an error is larger than allowed.
    """
    expected = states.compute_expected(function)
    rounding = states.condition if function in _SOLVES else 1.0
    differences = []
    for each in contenders:
        # Ten rounding errors, multiplied by the condition where a linear system is solved.
        allowed = max(
            WITHIN if each.real is DOUBLE else _FLOAT_WITHIN, 10 * rounding * each.real.epsilon
        )
        found = compute_difference(each.results(), expected)
        if not found <= allowed:
            raise VerificationError(
                f"{function}: {each.name} differs from the numeric reference by {found:.1e}, "
                f"more than the allowed {allowed:.1e}; "
                "the function was not timed (`dynagen check --against` finds the link or joint "
                "that differs)"
            )
        differences.append(found)
    return differences


def _make_rows(
    contenders: Sequence[Contender],
    times: Sequence[float],
    differences: Sequence[float],
    roofs: Mapping[str, Roof],
) -> Iterator[Row]:
    ours = [
        time
        for each, time in zip(contenders, times, strict=True)
        if (each.tool, each.called) == (FROM_C, ONE_STATE)
    ]
    for each, time, apart in zip(contenders, times, differences, strict=True):
        roof = roofs.get(each.called) if each.tool == FROM_C else None
        yield Row(each.tool, each.called, each.compiler, time, time / min(ours), apart, roof)
