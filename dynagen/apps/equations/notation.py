"""Notation of equations: plain text, Markdown and LaTeX.

In LaTeX, names of values become the symbols that papers use. For example, `wd2_z` becomes a dotted
omega with subscript 2z, the angular acceleration of body 2 about its z axis. Entries of arguments
are numbered from 1 in LaTeX, and from 0 in text, as in generated code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

import sympy

from dynagen.apps.equations.closed_form import ClosedForm, to_sympy
from dynagen.apps.equations.recursion import Equation, Recursion
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Application, Constant, Expression
from dynagen.ir.symbols import MINUS, find_stem
from dynagen.ir.tables import Table
from dynagen.ir.text import TextPrinter, format_number
from dynagen.numbers.exact import Exact
from dynagen.numbers.traced import TracedNumber, list_parts

FORMS = ("text", "markdown", "latex")

_SYMBOLS = {
    "qd": r"\dot q",
    "w": r"\omega",
    "wd": r"\dot\omega",
    "l": r"\Lambda",
    "bf": "F",
    "bm": "N",
    "theta": r"\theta",
    "tau": r"\tau",
    "mu": r"\mu",
    "phi": r"\varphi",
    "pi": r"\pi",
    "up": r"(-g)",
}
"""LaTeX symbols by the first part of a value's name, such as wd in wd2_z.

Other first parts are printed unchanged.
"""
_ARGUMENTS = {"q": "q", "qd": r"\dot q", "qdd": r"\ddot q", "tau": r"\tau", "g": "g"}
_NAME = re.compile(r"([A-Za-z_]*[A-Za-z])([\d_]*?)(?:_([a-z]+))?")
_NUMBER = re.compile(r"([IJcg])([xyz]{1,2})(\d*)")  # of the description, with axes: Iyy1, cx3, gy
_MOST_DIGITS = 10  # of a number that is not written exactly
_LONGEST_FRACTION = 9  # greatest numerator or denominator of a number that is written as a fraction
_LONGEST_LINE = 75  # printed characters of a line of a closed form in LaTeX


class PlainPrinter(TextPrinter):
    """Printer of expressions as plain text, with rounded numbers."""

    def has_sign(self, value: Exact) -> bool:
        """Return whether the text of a number begins with a minus sign."""
        return value < 0 and not _has_name(value)

    def print_literal(self, value: Exact) -> str:
        """Return the text of a number: digits, or a formula of named numbers."""
        if _has_name(value):
            text = value.formula
            return text if text.isidentifier() else f"({text})"
        plain = format_number(value).replace("{", "(").replace("}", ")")
        return plain if len(plain) <= _MOST_DIGITS + 4 else f"{float(value):.{_MOST_DIGITS}g}"


class LatexPrinter(TextPrinter):
    """Printer of expressions in LaTeX."""

    def has_sign(self, value: Exact) -> bool:
        """Return whether the LaTeX text of a number begins with a minus sign."""
        return self.print_literal(value).startswith("-")

    def print_expression(self, expression: Expression) -> str:
        """Return the formula of an expression in LaTeX, with thin spaces between factors."""
        return super().print_expression(expression).replace("*", r"\,")

    def print_literal(self, value: Exact) -> str:
        """Return the LaTeX text of a number: digits, or a formula of named numbers."""
        number = to_sympy(value)
        text = _write_sympy(number)
        return rf"\left({text}\right)" if number.is_Add else text

    def print_name(self, name: str) -> str:
        """Return the LaTeX symbol of a value's name, with numbers and axes as subscript."""
        symbol = write_symbol(name)
        return f"({symbol})" if symbol.startswith("-") else symbol

    def print_element(self, element: Element) -> str:
        """Return an entry of an argument in LaTeX, such as `q_{1}`, with an index from 1."""
        symbol = _ARGUMENTS.get(element.argument, _write_word(element.argument))
        return f"{symbol}_{{{element.index + 1}}}"

    def name_function(self, operation: Operation) -> str:
        """Return the LaTeX command of an operation, such as `sin` after a backslash."""
        known = operation in (Operation.SINE, Operation.COSINE)
        return rf"\{operation.value}" if known else rf"\operatorname{{{operation.value}}}"

    def name_table(self, table: Table) -> str:
        """Return the LaTeX name of a table of constants, which is printed like a function."""
        return r"\operatorname{" + table.name.replace("_", r"\_") + "}"


def _move_signs(expression: Expression) -> Expression:
    """Return an equal expression with differences: `a + (-0.5*b)` becomes `a - 0.5*b`."""
    if not isinstance(expression, Application):
        return expression
    operation, operands = expression.operation, tuple(map(_move_signs, expression.operands))
    if operation is Operation.NEGATE and (positive := _remove_sign(operands[0])) is not None:
        return positive
    if operation in _OPPOSITE and (positive := _remove_sign(operands[1])) is not None:
        return Application(_OPPOSITE[operation], (operands[0], positive))
    return Application(operation, operands)


_OPPOSITE = {Operation.ADD: Operation.SUBTRACT, Operation.SUBTRACT: Operation.ADD}


def _remove_sign(expression: Expression) -> Expression | None:
    """Return an expression without its leading minus sign; None if it has no minus sign."""
    match expression:
        case Constant(value) if value < 0 and not _has_name(value):
            return Constant(-value)
        case Application(Operation.NEGATE, (operand,)):
            return operand
        case Application(Operation.MULTIPLY, (left, right)):
            if (positive := _remove_sign(left)) is not None:
                return Application(Operation.MULTIPLY, (positive, right))
            if (positive := _remove_sign(right)) is not None:
                return Application(Operation.MULTIPLY, (left, positive))
    return None


def _has_name(value: Exact) -> TypeGuard[TracedNumber]:
    """Return whether a number depends on named numbers such as m2, and is printed as a formula."""
    return isinstance(value, TracedNumber) and not list_parts(value.terms)


def write_symbol(name: str) -> str:
    r"""Return the LaTeX symbol of a name, such as `\omega_{2z}` for `w2_z`."""
    if called := re.fullmatch(r"(cos|sin)\((.*)\)", name):
        return rf"\{called[1]}({write_symbol(called[2])})"
    if number := _NUMBER.fullmatch(name):
        return f"{number[1]}_{{{number[3]}{number[2]}}}"
    sign, name = ("-", name.removeprefix(MINUS)) if name.startswith(MINUS) else ("", name)
    found = _NAME.fullmatch(name)
    if found is None:
        return sign + _write_word(name)
    stem, numbers, axes = found.groups()
    symbol = _SYMBOLS.get(stem, stem if len(stem) == 1 else _write_word(stem))
    # The numbers 1 and 12 of `p1_12` stay apart.
    below = numbers.strip("_").replace("_", ",") + (axes or "")
    return f"{sign}{symbol}_{{{below}}}" if below else sign + symbol


def _write_word(word: str) -> str:
    return r"\mathit{" + word.replace("_", r"\_") + "}"


def _write_sympy(expression: sympy.Expr) -> str:
    """Return a sympy expression in LaTeX, with the symbols that papers use."""
    rounded = _round_fractions(expression)
    names = {symbol: write_symbol(symbol.name) for symbol in rounded.free_symbols}
    text: str = sympy.latex(rounded, symbol_names=names, fold_func_brackets=True)
    return text


def _write_plain(expression: sympy.Expr) -> str:
    """Return a sympy expression as text."""
    text: str = sympy.sstr(_round_fractions(expression), full_prec=False)
    return text


def _write_lines(expression: sympy.Expr) -> str:
    """Return the right side of an equation in LaTeX, broken into lines that fit on a page."""
    lines, width = [""], 0
    for term in expression.as_ordered_terms():
        text = _write_sympy(term)
        if lines != [""] and not text.startswith("-"):
            text = f"+ {text}"
        printed = len(re.sub(r"\\(left|right|dot|mathit|frac)|[\\{}_^ ]", "", text))
        if width and width + printed > _LONGEST_LINE:
            lines.append("")
            width = 0
        lines[-1] += f" {text}" if lines[-1] else text
        width += printed
    return " \\\\\n&\\quad ".join(lines)


def _round_fractions(expression: sympy.Expr) -> sympy.Expr:
    """Replace all numbers except short fractions, such as 1/3, by decimal numbers."""
    long = [
        number
        for number in expression.atoms(sympy.Rational)
        if number.q > 1 and max(abs(number.p), number.q) > _LONGEST_FRACTION
    ]
    return expression.xreplace({number: sympy.Float(number, _MOST_DIGITS) for number in long})


def write_recursion(recursion: Recursion, form: str, with_general: bool) -> str:
    """Return the equations of a recursion as text, Markdown or LaTeX.

    Args:
        recursion: the recursion to print.
        form: `text`, `markdown` or `latex`.
        with_general: True to print also each equation before constant folding. Constants, copies of
            other values and unused values are listed then, too.
    """
    steps = {
        step.title: [replace(each, folded=_move_signs(each.folded)) for each in equations]
        for step in recursion.steps
        if (equations := [each for each in step.equations if with_general or _computes(each)])
    }
    if form == "latex":
        return _join(_write_latex(recursion, steps, with_general))
    title = f"{recursion.robot}: {recursion.function}"
    layout = _write_markdown_steps if form == "markdown" else _write_text_steps
    results = _list_results(recursion, PlainPrinter())
    return _join(
        [
            f"# {title}\n\n{recursion.formula}"
            if form == "markdown"
            else f"{title}, {recursion.formula}",
            *layout(steps, with_general),
            *_write_list("Results", [(f"{place} = {value}", "") for place, value in results], form),
            *_write_list("Names", _list_meanings(recursion, steps), form),
            *_write_numbers(recursion.numbers, form),
        ]
    )


def _join(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def _computes(equation: Equation) -> bool:
    """Return whether an equation computes something that a result of the recursion needs.

    An equation for a constant, or for a copy of another value, computes nothing.
    """
    return equation.is_needed and isinstance(equation.folded, Application)


def _list_results(recursion: Recursion, printer: TextPrinter) -> list[tuple[str, str]]:
    """Return the printed name and the expression of each element of all outputs."""
    return [
        (
            printer.print_element(Element(argument.name, index)),
            printer.print_expression(_move_signs(element)),
        )
        for argument, elements in recursion.results
        for index, element in enumerate(elements)
    ]


def _list_meanings(
    recursion: Recursion, steps: Mapping[str, Sequence[Equation]]
) -> list[tuple[str, str]]:
    """Return each symbol that occurs in a printed name, with meaning, unit and cited source."""
    printed = {find_stem(each.name) for equations in steps.values() for each in equations}
    return [
        (
            symbol.pattern,
            f": {symbol.meaning}"
            + (f" ({symbol.unit})" if symbol.unit else "")
            + (f"; {symbol.source}" if symbol.source else ""),
        )
        for symbol in recursion.symbols
        if symbol.stem in printed
    ]


def _write_list(title: str, lines: Sequence[tuple[str, str]], form: str) -> Iterator[str]:
    """Yield a title and one line for each pair of code and text; nothing if there are no pairs."""
    if lines:
        in_markdown = form == "markdown"
        yield f"\n## {title}\n" if in_markdown else f"\n{title}"
        for code, plain in lines:
            yield f"- `{code}`{plain}" if in_markdown else f"  {code}{plain}"


def _write_numbers(numbers: Mapping[str, Exact], form: str) -> Iterator[str]:
    lines = [(name, f" = {float(value):g}") for name, value in numbers.items()]
    return _write_list("Numbers of the description", lines, form)


def _write_text_steps(steps: Mapping[str, Sequence[Equation]], with_general: bool) -> Iterator[str]:
    printer = PlainPrinter()
    for title, equations in steps.items():
        yield f"\n{title}"
        width = max(len(each.name) for each in equations)
        for each in equations:
            name = f"{each.name:<{width}}"
            if with_general:
                yield f"  {name} = {printer.print_expression(each.general)}"
                name = " " * width
            unused = "" if each.is_needed else "    (no result depends on it)"
            yield f"  {name} = {printer.print_expression(each.folded)}{unused}"


def _write_markdown_steps(
    steps: Mapping[str, Sequence[Equation]], with_general: bool
) -> Iterator[str]:
    printer = PlainPrinter()
    for title, equations in steps.items():
        yield f"\n## {title}\n"
        yield "| | general | this robot |" if with_general else "| | this robot |"
        yield "| --- | --- | --- |" if with_general else "| --- | --- |"
        for each in equations:
            general = f" `{printer.print_expression(each.general)}` |" if with_general else ""
            yield f"| `{each.name}` |{general} `{printer.print_expression(each.folded)}` |"


def _write_latex(
    recursion: Recursion, steps: Mapping[str, Sequence[Equation]], with_general: bool
) -> Iterator[str]:
    printer = LatexPrinter()
    yield from _open_document(f"{recursion.robot}: {recursion.function}")
    for step, equations in steps.items():
        lines = []
        for each in equations:
            symbol = write_symbol(each.name)
            if with_general:
                lines.append((symbol, printer.print_expression(each.general)))
                symbol = ""
            lines.append((symbol, printer.print_expression(each.folded)))
        yield from _align(step, lines)
    yield from _align("Results", _list_results(recursion, printer))
    yield r"\end{document}"


def _open_document(title: str) -> Iterator[str]:
    yield r"\documentclass{article}"
    yield r"\usepackage{amsmath}"
    yield r"\allowdisplaybreaks"
    yield r"\begin{document}"
    yield rf"\section*{{{_escape(title)}}}"


def _align(title: str, equations: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a title and an align environment of equations, given as left and right sides."""
    yield rf"\paragraph{{{_escape(title)}}}"
    yield r"\begin{align*}"
    yield from (rf"{left} &= {right} \\" for left, right in equations)
    yield r"\end{align*}"


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def _escape(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    return re.sub(r"[\\{}_^#&%$~]", lambda found: _ESCAPES.get(found[0], "\\" + found[0]), text)


def write_closed_form(robot: str, closed: ClosedForm, form: str) -> str:
    """Return the closed form of a robot's equations of motion as text, Markdown or LaTeX.

    Args:
        robot: name of the robot, for the heading.
        closed: mass matrix, Coriolis matrix and gravity forces as formulas.
        form: `text`, `markdown` or `latex`.
    """
    if form == "latex":
        equations = [
            (f"{name}_{{{''.join(map(str, place))}}}", _write_lines(entry))
            for name, place, entry in _list_entries(closed)
        ]
        return _join(
            [
                *_open_document(f"{robot}: equations of motion"),
                r"\[ \tau = M(q)\,\ddot q + C(q, \dot q)\,\dot q + g(q) \]",
                *_align("Entries", equations),
                r"\end{document}",
            ]
        )
    title = f"{robot}: equations of motion, tau = M qdd + C qd + g"
    lines = [
        (f"{name}[{', '.join(map(str, place))}] = {_write_plain(entry)}", "")
        for name, place, entry in _list_entries(closed)
    ]
    return _join(
        [
            f"# {title}" if form == "markdown" else title,
            *_write_list("Entries", lines, form),
            *_write_numbers(closed.numbers, form),
        ]
    )


def _list_entries(closed: ClosedForm) -> Iterator[tuple[str, tuple[int, ...], sympy.Expr]]:
    """Yield name, indices (from 1) and expression of each entry of M, C and g.

    M is the mass matrix, C the Coriolis matrix, and g the vector of gravity forces.
    """
    for name, matrix in (("M", closed.mass_matrix), ("C", closed.coriolis_matrix)):
        for row in range(matrix.rows):
            for column in range(matrix.cols):
                yield name, (row + 1, column + 1), matrix[row, column]
    for row, entry in enumerate(closed.gravity_forces):
        yield "g", (row + 1,), entry
