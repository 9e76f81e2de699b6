"""Trial of one case: comparison of generated code with numeric references and other tools.

A numeric reference computes dynamics by numpy, independently of the generator. The other tools are
Pinocchio and MuJoCo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dynagen.apps.crosscheck.comparison import compare
from dynagen.apps.crosscheck.mujoco import load_mujoco
from dynagen.dynamics.function import DynamicsFunction
from dynagen.errors import (
    DynagenError,
    InvalidProgramError,
    ToolchainError,
    UsageError,
    VerificationError,
)
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import PARAMS, PREPARE, VALUES, Program
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real
from dynagen.optimizer.compile import compile_function, compose
from dynagen.optimizer.formulation import DesignSpace
from dynagen.pipeline.driver import generate, hoist_into_prepare
from dynagen.pipeline.generation import resolve
from dynagen.pipeline.proof import prove_kernels
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Stages
from dynagen.toolchain.kernel import Array, Batch, CompiledKernel
from dynagen.verification.sampling import sample_parameters, sample_states
from hardening.cases import PROGRAM, Case, draw_far_values, select_available
from hardening.cut_tree import compare_with_cut_tree
from hardening.differences import DifferenceError, find_largest
from hardening.pinocchio_robot import EXPECTED, PinocchioRobot, find_condition

STATES = 24
"""Number of states of the comparison with numeric references, for each set of parameter values."""
PINOCCHIO_STATES = 6
WITHIN = 1e-9
"""Largest allowed difference from Pinocchio, relative to the largest value.

It also applies to the comparison of a robot with closed loops and its tree with cut loops.
"""
_WORST_CONDITION = 1e8


@dataclass(frozen=True)
class Outcome:
    """Result of the trial of one case.

    Attributes:
        failure: description of the failure; empty if the case did not fail.
        kind: kind of the failure, such as "mujoco"; a smaller case must fail with the same kind.
        refused: message to the user if the case was refused; empty if it ran.
        references: error of each function in the comparison with numeric references, as in a proof.
        pinocchio: difference of each function from Pinocchio, relative to the largest value.
        mujoco: largest difference from MuJoCo; None without comparison.
        cut_tree: difference of each function between the robot with closed loops and the tree that
            results if the loops are cut, relative to the largest value.
    """

    failure: str = ""
    kind: str = ""
    refused: str = ""
    references: Mapping[str, float] = field(default_factory=dict)
    pinocchio: Mapping[str, float] = field(default_factory=dict)
    mujoco: float | None = None
    cut_tree: Mapping[str, float] = field(default_factory=dict)


def run_case(case: Case) -> Outcome:
    """Generate the code of a case and compare its results; an error becomes part of the outcome."""
    try:
        return _run(case)
    except DifferenceError as difference:
        kind, message = difference.args
        return Outcome(message, kind)
    except VerificationError as error:
        return Outcome(str(error), "reference")
    except ToolchainError as error:
        if " found (tried" in str(error) or "install" in str(error):  # a tool is not installed
            return Outcome(refused=f"{type(error).__name__}: {error}")
        return Outcome(str(error), "toolchain")
    except InvalidProgramError as error:
        return Outcome(f"{type(error).__name__}: {error}", "bug")
    except DynagenError as error:
        return Outcome(refused=f"{type(error).__name__}: {error}")
    except Exception as error:  # any other exception is a finding
        return Outcome(f"{type(error).__name__}: {error}", type(error).__name__)


def _run(case: Case) -> Outcome:
    whole, part = case.read()
    model = build_model(part)
    case = select_available(case, model)
    functions, kernels, real = _make_kernels(case, part, model)
    values = draw_far_values(part, case.seed)
    sets = (*sample_parameters(part.parameters, case.seed)[1:2], values) if values else ()
    proofs = prove_kernels(part, functions, kernels, real, STATES, case.seed, sets)
    errors = {proof.function: proof.worst.worst_error for proof in proofs}
    if case.real != "double":
        return Outcome(references=errors)
    values = sets[-1] if sets else {}
    if case.loops:
        different = compare_with_cut_tree(case.text, functions, kernels, WITHIN)
        return Outcome(references=errors, cut_tree=different)
    different = _compare_with_pinocchio(case, functions, whole, part, kernels, values)
    return Outcome(
        references=errors, pinocchio=different, mujoco=_compare_with_mujoco(part, values, case.seed)
    )


def _make_kernels(
    case: Case, part: RobotDescription, model: RobotModel
) -> tuple[Sequence[DynamicsFunction], Mapping[str, CompiledKernel], Real]:
    """Generate the code of a case for the selected part of its robot.

    Kernels are compiled, except for cases of the form `program`, which evaluate recorded programs.
    """
    if case.form != PROGRAM:
        generation = generate(part, case.settings, prove=False)
        request = generation.request
        kernels = request.target.load(
            generation.package, request.language, generation.files, generation.built
        )
        return request.functions, kernels, request.real
    request, space = resolve(case.settings, model), DesignSpace(model)
    compiled = [compile_function(function, space, request.effort) for function in request.functions]
    hoisted, prepare = hoist_into_prepare(compiled, model, Stages())
    programs = {each.name: compose(each, model).program for each in hoisted}
    if prepare is not None:
        programs[PREPARE] = prepare
    return request.functions, make_kernels(programs), request.real


def make_kernels(programs: Mapping[str, Program]) -> Mapping[str, CompiledKernel]:
    """Return kernels that evaluate recorded programs without compiling code."""
    return {
        name: CompiledKernel(program.signature, _evaluator(program))
        for name, program in programs.items()
    }


def _evaluator(program: Program) -> Batch:
    """Return a function that evaluates a program for many states, as a kernel does."""

    def run(inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        named = {
            argument.name: array.reshape(count, -1).T
            for argument, array in zip(program.inputs, inputs, strict=True)
        }
        with np.errstate(all="ignore"):
            found = evaluate(program, named)
        results = []
        for output in program.outputs:
            entries = [np.broadcast_to(value, count) for value in found[output.argument.name]]
            result = np.stack(entries, axis=-1).reshape(count, *output.argument.shape)
            # The status of a program is positive on success, that of a kernel is 0.
            is_status = output.argument.is_status
            results.append(np.where(result[:, 0] > 0, 0.0, 1.0) if is_status else result)
        return results

    return run


def _compare_with_pinocchio(
    case: Case,
    functions: Sequence[DynamicsFunction],
    whole: RobotDescription,
    part: RobotDescription,
    kernels: Mapping[str, CompiledKernel],
    values: Mapping[str, float],
) -> Mapping[str, float]:
    """Compare the functions of a case that Pinocchio also has.

    `part` is the part of the robot `whole` that the options of the case select. `values` contains
    the values of the run-time parameters.

    Returns:
        The largest difference by function, relative to the function's largest value.

    Raises:
        DifferenceError: a difference exceeds WITHIN, or a larger limit for ill-conditioned
            systems of equations.
    """
    exact = {name: Exact(value) for name, value in values.items()}
    robot = PinocchioRobot(substitute(whole, exact), case.options)
    part = substitute(part, exact)
    given = {VALUES: np.array(list(values.values()))}
    if values:
        given[PARAMS] = kernels[PREPARE](given[VALUES])[0]
    largest = {}
    for function in functions:
        name, _, frame = function.request.partition("@")
        if name not in EXPECTED:
            continue
        kernel = kernels[function.name]
        inputs = [argument.name for argument in kernel.signature.inputs]
        sampled = tuple(each for each in inputs if each not in given)
        sizes = {argument.name: argument.size for argument in kernel.signature.inputs}
        states = sample_states(part, sampled, 40, case.seed, sizes)
        chosen = {key: states[key][-PINOCCHIO_STATES:] for key in states.inputs}
        results = kernel(*({**chosen, **given}[key] for key in inputs))
        outputs = dict(zip((each.name for each in kernel.signature.outputs), results, strict=True))
        pairs: list[list] = []
        conditions = []
        for state in range(PINOCCHIO_STATES):
            at = {key: array[state] for key, array in chosen.items()}
            condition = find_condition(robot, name, frame or "tool", at)
            if condition > _WORST_CONDITION:
                continue
            conditions.append(condition)
            out = {key: array[state] for key, array in outputs.items()}
            pairs.append(EXPECTED[name](robot, frame or "tool", at, out))
        if pairs:
            allowed = max(WITHIN, 1e-14 * max(conditions))
            largest[name] = find_largest("Pinocchio", function.name, pairs, allowed)
    return largest


def _compare_with_mujoco(
    part: RobotDescription, values: Mapping[str, float], seed: int
) -> float | None:
    """Compare the numeric reference with MuJoCo; return the largest relative difference.

    The numeric reference computes dynamics by numpy, without generated code. The result is None if
    the seed is not a multiple of four, or if MuJoCo cannot express the robot.
    """
    if seed % 4:
        return None
    known = substitute(part, {name: Exact(value) for name, value in values.items()})
    try:
        theirs, robot = load_mujoco(known)
    except UsageError:
        return None
    check = compare(known, robot, theirs)
    if not check.agrees:
        rows = ", ".join(f"{row.function} {row.difference:.2g}" for row in check.rows)
        raise DifferenceError("mujoco", f"MuJoCo disagrees: {rows}")
    return max(row.difference for row in check.rows)
