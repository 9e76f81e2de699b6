"""Recursion of a function for one robot: each quantity in general and folded form.

The general form is the recursion as it is recorded for any robot of this joint structure; zeros and
ones of the robot are in it. The folded form has its constants folded: products with zero are gone,
products with one are copies. It has the quantities of the general form, unlike the emitted code, in
which later passes share, factor and negate values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dynagen.dynamics.function import ComposedFunction, DynamicsFunction
from dynagen.errors import InvalidProgramError, UsageError
from dynagen.ir.program import Argument, Operation, Output, Program
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
from dynagen.robot.model.model import build_model

Results = tuple[tuple[Argument, tuple[Expression, ...]], ...]
"""Each output with the expressions of its elements, row-major."""


@dataclass(frozen=True)
class Equation:
    """One named value of a recursion.

    Attributes:
        name: its name, such as `w2_x`.
        general: its expression with the robot's zeros and ones.
        folded: its expression for this robot: a number if it is constant, a name or an element of
            an input if it equals one.
        is_needed: whether a result depends on it, in the folded form.
    """

    name: str
    general: Expression
    folded: Expression
    is_needed: bool


@dataclass(frozen=True)
class Step:
    """One step of a recursion, such as the outward step of one body."""

    title: str
    equations: tuple[Equation, ...]


@dataclass(frozen=True)
class Recursion:
    """A function of one robot as equations.

    Attributes:
        robot: name of the robot.
        function: name of the function.
        formula: what it computes.
        steps: its steps in order.
        results: the outputs in the folded form.
        symbols: the symbols of the names that occur.
        numbers: value of each name of a number of the description; empty if numbers are printed.
    """

    robot: str
    function: str
    formula: str
    steps: tuple[Step, ...]
    results: Results
    symbols: tuple[Symbol, ...]
    numbers: Mapping[str, Exact]


def derive_recursion(
    description: RobotDescription, function: DynamicsFunction, with_names: bool
) -> Recursion:
    """Derive the equations of a function for one robot.

    Args:
        description: the robot, without run-time parameters.
        function: the function; its first method is recorded.
        with_names: whether numbers of the description are named instead of printed.

    Raises:
        UsageError: the robot has run-time parameters, or the function has no recursion of its own,
            or the robot cannot have it.
    """
    if description.parameters:
        raise UsageError(
            f"{description.name} has run-time parameters: equations are derived for fixed numbers"
        )
    if isinstance(function, ComposedFunction):
        raise UsageError(
            f"{function.name} calls {function.callee.name}: derive the equations of that function"
        )
    named = name_numbers(description) if with_names else None
    recorded = function.build(build_model(named.description if named else description))
    general, _ = _read_equations(recorded)
    folded, results = fold(recorded)
    needed = _find_needed(recorded)
    steps = tuple(
        Step(
            title,
            tuple(
                Equation(name, expression, folded[name], name in needed)
                for name, expression in equations.items()
            ),
        )
        for title, equations in general.items()
    )
    stems = {find_stem(each.name) for step in steps for each in step.equations}
    return Recursion(
        description.name,
        function.name,
        function.formula,
        steps,
        results,
        tuple(symbol for symbol in recorded.symbols if symbol.stem in stems),
        named.symbols if named else {},
    )


def _list_expressions(statement: Statement) -> dict[str, Expression]:
    """Return the expression of each name that a statement assigns."""
    if not isinstance(statement, SineCosine):
        return dict.fromkeys(statement.assigned, statement.expression)
    pair = ((Operation.SINE, statement.sine), (Operation.COSINE, statement.cosine))
    return {name: Application(operation, (statement.angle,)) for operation, name in pair if name}


Sections = dict[str, dict[str, Expression]]
"""Expressions by the name of their value, by the title of their section."""


def _read_equations(program: Program) -> tuple[Sections, dict[str, Expression]]:
    """Return the expressions of all named values, and of parts.

    Parts are expressions that the program computes once and names t1, t2 and so on. They are
    written out in each expression that uses them.
    """
    sections: Sections = {}
    parts: dict[str, Expression] = {}
    for block in write_statements(program).blocks:
        section = sections.setdefault(block.title, {})
        for statement in block.statements:
            for name, expression in _list_expressions(statement).items():
                written = _write_out(expression, parts)
                (parts if find_stem(name) == PART.stem else section)[name] = written
    return {title: section for title, section in sections.items() if section}, parts


def _write_out(expression: Expression, parts: Mapping[str, Expression]) -> Expression:
    """Return an expression with the names of parts replaced by their expressions."""
    match expression:
        case Name(name) if name in parts:
            return parts[name]
        case Application(operation, operands):
            return Application(operation, tuple(_write_out(each, parts) for each in operands))
    return expression


def fold(program: Program) -> tuple[dict[str, Expression], Results]:
    """Fold the constants of a program; return the expressions of its named values and results."""
    folded = _fold_fully(_keep_named_values(program))
    sections, parts = _read_equations(folded)
    computed = {name: each for section in sections.values() for name, each in section.items()}
    *outputs, (_, kept) = write_statements(folded).results
    equations = {}
    for name, leaf in zip(_list_names(program), kept, strict=True):
        # Folding may have replaced the value by a number, an input or another value.
        is_own = isinstance(leaf, Name) and leaf.name == name
        equations[name] = computed[name] if is_own else _write_out(leaf, parts)
    return equations, tuple(
        (output.argument, tuple(_write_out(leaf, parts) for leaf in leaves))
        for output, leaves in outputs
    )


def _list_names(program: Program) -> list[str]:
    return [each.name for each in program.instructions if each.name]


def _keep_named_values(program: Program) -> Program:
    """Return a program with its named values as a further output, so that all passes keep them."""
    named = [place for place, each in enumerate(program.instructions) if each.name]
    if len(set(_list_names(program))) != len(named):
        raise InvalidProgramError(f"{program.name}: two values have one name")
    kept = Output(Argument("named", (len(named),), ("",), "named values"), tuple(named))
    return replace(program, outputs=(*program.outputs, kept))


def _fold_fully(program: Program) -> Program:
    """Fold constants and cancel terms until nothing changes."""
    before = None
    while program is not before:
        before = program
        program = propagate_copies(cancel_terms(fold_constants(program)))
        if program.instructions == before.instructions:
            return program
    return program


def _find_needed(recorded: Program) -> set[str]:
    """Return the names of values on which a result depends after folding."""
    program = _fold_fully(recorded)
    needed = set(program.iterate_result_values())
    for place in reversed(range(len(program.instructions))):
        if place in needed:
            needed.update(program.instructions[place].operands)
    return {name for place in needed if (name := program.instructions[place].name)}
