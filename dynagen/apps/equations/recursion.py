"""Recursion of a function for one robot, in a general form and a form with folded constants.

The general form holds for every robot with this joint structure, and includes operations with zeros
and ones. In the folded form, products with zero are removed and products with one are copies. The
general and the folded form contain the same named quantities. The generated code has fewer
operations than the folded form, because later steps of the generator also share and factor values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dynagen.dynamics.function import ComposedFunction, DynamicsFunction
from dynagen.errors import InvalidProgramError, UsageError
from dynagen.ir.program import Argument, Instruction, Operation, Output, Program
from dynagen.ir.statements import (
    Application,
    Expression,
    Name,
    SineCosine,
    Statement,
    write_statements,
)
from dynagen.ir.symbols import PART, Symbol, find_stem
from dynagen.numbers.exact import Exact
from dynagen.optimizer.passes.folding import fold_constants, propagate_copies
from dynagen.optimizer.passes.sums import cancel_terms
from dynagen.pipeline.provenance import name_numbers
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel, build_model

# Operations and operands of a part that is written out in each expression that uses it. Longer
# parts have an equation of their own: written out, those of derivatives would grow exponentially.
_LONGEST_PART = 100

Results = tuple[tuple[Argument, tuple[Expression, ...]], ...]
"""All outputs of a recursion, each with the expressions of its elements in row-major order."""


@dataclass(frozen=True)
class Equation:
    """One named value of a recursion, before and after folding.

    Attributes:
        name: name of the value, such as `w2_x`. Long subexpressions are named t1, t2, ...
        general: the expression of the value before constants are folded, with operations on the
            robot's zeros and ones.
        folded: the expression for this robot. If the value is constant, `folded` is a number; if it
            is a copy of another value, `folded` is the name of this value.
        is_needed: whether a result of the folded form depends on the named value.
    """

    name: str
    general: Expression
    folded: Expression
    is_needed: bool


@dataclass(frozen=True)
class Step:
    """One step of a recursion, such as the velocities and accelerations of one body.

    Attributes:
        title: heading of the step.
        equations: equations of the step's named values, in the order of computation.
    """

    title: str
    equations: tuple[Equation, ...]


@dataclass(frozen=True)
class Recursion:
    """Recursion of a function for one robot, as steps of equations.

    Attributes:
        robot: name of the robot.
        function: name of the function.
        formula: formula of the function's results, as in `dynagen functions`.
        steps: steps of the recursion in order.
        results: each output of the function, with the folded expressions of its elements in
            row-major order.
        symbols: symbols at the beginning of value names, such as w, with their meanings.
        numbers: mapping from each name in the expressions, such as m2, to the described number that
            it replaces; empty if the expressions contain numbers.
    """

    robot: str
    function: str
    formula: str
    steps: tuple[Step, ...]
    results: Results
    symbols: tuple[Symbol, ...]
    numbers: Mapping[str, Exact]


def build_named_model(
    description: RobotDescription, with_names: bool
) -> tuple[RobotModel, Mapping[str, Exact]]:
    """Return a robot's model, and the value of each name that replaces a number in it.

    Args:
        description: the robot, without run-time parameters.
        with_names: True to replace the description's numbers with names such as m2.

    Returns:
        The model, and a mapping from each name to the number that the name replaces. The mapping is
        empty if `with_names` is False.

    Raises:
        UsageError: the robot has run-time parameters.
    """
    if description.parameters:
        raise UsageError(
            f"equations require fixed numbers, and {description.name} has run-time parameters: "
            "replace them with numbers in the description"
        )
    if not with_names:
        return build_model(description), {}
    named = name_numbers(description)
    return build_model(named.description), named.symbols


def derive_recursion(
    description: RobotDescription, function: DynamicsFunction, with_names: bool
) -> Recursion:
    """Derive the recursion of a function for one robot, before and after folding constants.

    Args:
        description: the robot, without run-time parameters.
        function: the function. If it has several algorithms, the first one is used.
        with_names: True for names, such as m2, in place of the description's numbers.

    Raises:
        UsageError: the robot has run-time parameters, the function only calls another function, or
            the function is not available for the robot.
    """
    if isinstance(function, ComposedFunction):
        raise UsageError(
            f"{function.name} has no equations, since it only calls {function.callee.name}: "
            f"derive the equations of {function.callee.name}"
        )
    model, numbers = build_named_model(description, with_names)
    recorded = _name_long_parts(function.build(model))
    general, _ = _read_equations(recorded)
    folded, needed, results = _fold(recorded)
    steps: dict[str, list[Equation]] = {}
    for instruction in recorded.instructions:
        if name := instruction.name:
            equation = Equation(name, general[name], folded[name], name in needed)
            steps.setdefault(recorded.sections[instruction.section], []).append(equation)
    stems = {find_stem(each.name) for step in steps.values() for each in step}
    return Recursion(
        description.name,
        function.name,
        function.formula,
        tuple(Step(title, tuple(equations)) for title, equations in steps.items()),
        results,
        tuple(symbol for symbol in recorded.symbols if symbol.stem in stems),
        numbers,
    )


def _name_long_parts(program: Program) -> Program:
    """Name each value that is used several times and has a long expression."""
    uses = program.count_uses()
    instructions: list[Instruction] = []
    sizes: list[int] = []  # operations and operands of each value as it is written where it is used
    number = 0
    for place, instruction in enumerate(program.instructions):
        size = 1 + sum(sizes[operand] for operand in instruction.operands)
        if not instruction.name and uses[place] > 1 and size > _LONGEST_PART:
            number += 1
            instruction = instruction._replace(name=PART(number).text)
        sizes.append(1 if instruction.name else size)
        instructions.append(instruction)
    return replace(program, instructions=tuple(instructions))


def _list_expressions(statement: Statement) -> dict[str, Expression]:
    """Return the expression of each name that a statement assigns."""
    if not isinstance(statement, SineCosine):
        return dict.fromkeys(statement.assigned, statement.expression)
    pair = ((Operation.SINE, statement.sine), (Operation.COSINE, statement.cosine))
    return {name: Application(operation, (statement.angle,)) for operation, name in pair if name}


def _read_equations(program: Program) -> tuple[dict[str, Expression], dict[str, Expression]]:
    """Return the expressions of a program's named values and of its unnamed intermediate values."""
    equations: dict[str, Expression] = {}
    parts: dict[str, Expression] = {}
    named = {each.name for each in program.instructions}
    for block in write_statements(program).blocks:
        for statement in block.statements:
            for name, expression in _list_expressions(statement).items():
                written = _write_out(expression, parts)
                (equations if name in named else parts)[name] = written
    return equations, parts


def _write_out(expression: Expression, parts: Mapping[str, Expression]) -> Expression:
    """Replace the names of intermediate values in an expression by the expressions in `parts`."""
    match expression:
        case Name(name) if name in parts:
            return parts[name]
        case Application(operation, operands):
            return Application(operation, tuple(_write_out(each, parts) for each in operands))
    return expression


def _fold(recorded: Program) -> tuple[dict[str, Expression], set[str], Results]:
    """Fold the constants of a program repeatedly, until the program no longer changes.

    Returns:
        The expression of each named value, the names that a result depends on, and the results.
    """
    program = _keep_named_values(recorded)
    while True:
        folded = propagate_copies(cancel_terms(fold_constants(program)))
        if folded.instructions == program.instructions:
            break
        program = folded
    computed, parts = _read_equations(folded)
    *outputs, kept = folded.outputs
    needed = {value for output in outputs for value in output.values}
    for place in reversed(range(len(folded.instructions))):
        if place in needed:
            needed.update(folded.instructions[place].operands)
    *results, (_, leaves) = write_statements(folded).results
    names = _list_names(recorded)
    equations = {
        # Folding may have replaced the value by a number, an input or another value.
        name: computed[name] if leaf == Name(name) else _write_out(leaf, parts)
        for name, leaf in zip(names, leaves, strict=True)
    }
    return (
        equations,
        {name for name, value in zip(names, kept.values, strict=True) if value in needed},
        tuple(
            (output.argument, tuple(_write_out(leaf, parts) for leaf in elements))
            for output, elements in results
        ),
    )


def _list_names(program: Program) -> list[str]:
    return [each.name for each in program.instructions if each.name]


def _keep_named_values(program: Program) -> Program:
    """Return a program that also outputs its named values, so that folding does not remove them."""
    named = [place for place, each in enumerate(program.instructions) if each.name]
    if len(set(_list_names(program))) != len(named):
        raise InvalidProgramError(f"{program.name}: two values have the same name")
    kept = Output(Argument("named", (len(named),), ("",), "named values"), tuple(named))
    return replace(program, outputs=(*program.outputs, kept))
