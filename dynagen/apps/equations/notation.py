"""Notation of equations: plain text, Markdown and LaTeX.

Names become the symbols of the papers in LaTeX: `wd2_z` is the angular acceleration of body 2 about
its z axis. Joints and bodies are counted from 1 in LaTeX, elements of arguments from 0 in text, as
in generated code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sympy

from dynagen.apps.equations.closed_form import ClosedForm
from dynagen.apps.equations.recursion import Equation, Recursion
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Constant, Expression
from dynagen.ir.symbols import MINUS, find_stem
from dynagen.ir.text import ExpressionPrinter, format_number
from dynagen.numbers.exact import Exact
from dynagen.numbers.traced import TracedNumber, list_parts

_SYMBOLS = {
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
"""Symbols of stems whose letters are not the symbol itself."""
_ARGUMENTS = {"q": "q", "qd": r"\dot q", "qdd": r"\ddot q", "tau": r"\tau", "g": "g"}
_NAME = re.compile(r"([a-z_]*[a-z])([\d_]*?)(?:_([a-z]+))?")


class TextPrinter(ExpressionPrinter):
    """Printer of expressions as in generated code, with exact or named numbers."""

    def print_literal(self, value: Exact) -> str:
        """Return the formula of a number that has a short one, else the number."""
        if isinstance(value, TracedNumber) and not list_parts(value.terms):
            text = value.formula
            return text if text.isidentifier() else f"({text})"
        plain = format_number(value).replace("{", "(").replace("}", ")")
        return plain if len(plain) <= 14 else f"{float(value):.10g}"

    def print_name(self, name: str) -> str:
        """Return the name."""
        return name

    def print_element(self, element: Element) -> str:
        """Return the element with its index from 0."""
        return f"{element.argument}[{element.index}]"

    def name_function(self, operation: Operation) -> str:
        """Return the word of the operation."""
        return str(operation.value)


class LatexPrinter(TextPrinter):
    """Printer of expressions in LaTeX."""

    def print_expression(self, expression: Expression) -> str:
        """Return an expression in LaTeX: juxtaposed factors, fractions."""
        return super().print_expression(expression).replace("*", r"\,")

    def print_literal(self, value: Exact) -> str:
        """Return a number, or its formula with subscripts."""
        text = super().print_literal(value)
        text = re.sub(r"\((-?\d+)/(\d+)\)", r"\\tfrac{\1}{\2}", text)
        return re.sub(r"[A-Za-z]\w*", lambda found: write_symbol(found[0]), text).replace("**", "^")

    def print_name(self, name: str) -> str:
        """Return the symbol with its numbers and axes as subscript."""
        return write_symbol(name)

    def print_element(self, element: Element) -> str:
        """Return the element with its index from 1."""
        symbol = _ARGUMENTS.get(element.argument, rf"\mathit{{{element.argument}}}")
        return f"{symbol}_{{{element.index + 1}}}"

    def name_function(self, operation: Operation) -> str:
        """Return the function's command."""
        known = operation in (Operation.SINE, Operation.COSINE)
        return rf"\{operation.value}" if known else rf"\operatorname{{{operation.value}}}"


def write_symbol(name: str) -> str:
    r"""Return the LaTeX symbol of a value's name, such as `\omega_{2z}` for `w2_z`."""
    sign, name = ("-", name.removeprefix(MINUS)) if name.startswith(MINUS) else ("", name)
    found = _NAME.fullmatch(name)
    if found is None:
        return sign + r"\mathit{" + name.replace("_", r"\_") + "}"
    stem, numbers, axes = found.groups()
    symbol = _SYMBOLS.get(stem, stem if len(stem) == 1 else rf"\mathit{{{stem}}}")
    below = numbers.replace("_", "") + (axes or "")
    return f"{sign}{symbol}_{{{below}}}" if below else sign + symbol


def write_recursion(recursion: Recursion, form: str, with_general: bool) -> str:
    """Return a recursion in a notation.

    Args:
        recursion: the equations.
        form: text, markdown or latex.
        with_general: whether the general form stands next to the folded one; values that no result
            needs, and constants, are then listed too.
    """
    layout = {"text": _write_text, "markdown": _write_markdown, "latex": _write_latex}[form]
    return "\n".join(layout(recursion, with_general)) + "\n"


def _select_equations(equations: tuple[Equation, ...], with_general: bool) -> Iterator[Equation]:
    """Yield the equations to print: all, or those that compute something a result needs."""
    for equation in equations:
        if with_general or (equation.is_needed and not isinstance(equation.folded, Constant)):
            yield equation


def _list_meanings(recursion: Recursion, with_general: bool) -> Iterator[tuple[str, str]]:
    """Yield the pattern of the printed names of each symbol, and its meaning."""
    printed = {
        find_stem(each.name)
        for step in recursion.steps
        for each in _select_equations(step.equations, with_general)
    }
    for symbol in recursion.symbols:
        if symbol.stem not in printed:
            continue
        unit = f" ({symbol.unit})" if symbol.unit else ""
        source = f"; {symbol.source}" if symbol.source else ""
        yield symbol.pattern, f"{symbol.meaning}{unit}{source}"


def _write_text(recursion: Recursion, with_general: bool) -> Iterator[str]:
    printer = TextPrinter()
    yield f"{recursion.robot}: {recursion.function}, {recursion.formula}"
    for step in recursion.steps:
        equations = list(_select_equations(step.equations, with_general))
        if not equations:
            continue
        yield f"\n{step.title}"
        width = max(len(each.name) for each in equations)
        for each in equations:
            unused = "" if each.is_needed else "    (no result needs it)"
            if with_general:
                yield f"  {each.name:<{width}} = {printer.print_expression(each.general)}"
                yield f"  {'':<{width}} = {printer.print_expression(each.folded)}{unused}"
            else:
                yield f"  {each.name:<{width}} = {printer.print_expression(each.folded)}"
    yield "\nResults"
    for argument, elements in recursion.results:
        for index, element in enumerate(elements):
            yield f"  {argument.name}[{index}] = {printer.print_expression(element)}"
    yield "\nNames"
    yield from (
        f"  {pattern}: {meaning}" for pattern, meaning in _list_meanings(recursion, with_general)
    )
    if recursion.numbers:
        yield "\nNumbers of the description"
        yield from (f"  {name} = {float(value):g}" for name, value in recursion.numbers.items())


def _write_markdown(recursion: Recursion, with_general: bool) -> Iterator[str]:
    printer = TextPrinter()
    yield f"# {recursion.robot}: {recursion.function}\n"
    yield f"{recursion.formula}\n"
    for step in recursion.steps:
        equations = list(_select_equations(step.equations, with_general))
        if not equations:
            continue
        yield f"## {step.title}\n"
        yield "| | general | this robot |" if with_general else "| | this robot |"
        yield "| --- | --- | --- |" if with_general else "| --- | --- |"
        for each in equations:
            general = f" `{printer.print_expression(each.general)}` |" if with_general else ""
            yield f"| `{each.name}` |{general} `{printer.print_expression(each.folded)}` |"
        yield ""
    yield "## Results\n"
    for argument, elements in recursion.results:
        for index, element in enumerate(elements):
            yield f"- `{argument.name}[{index}] = {printer.print_expression(element)}`"
    yield "\n## Names\n"
    yield from (
        f"- `{pattern}`: {meaning}" for pattern, meaning in _list_meanings(recursion, with_general)
    )
    if recursion.numbers:
        yield "\n## Numbers of the description\n"
        yield from (f"- `{name}` = {float(value):g}" for name, value in recursion.numbers.items())


def _write_latex(recursion: Recursion, with_general: bool) -> Iterator[str]:
    printer = LatexPrinter()
    yield from _open_document(f"{recursion.robot}: {recursion.function}")
    for step in recursion.steps:
        equations = list(_select_equations(step.equations, with_general))
        if not equations:
            continue
        yield rf"\paragraph{{{_escape(step.title)}}}"
        yield r"\begin{align*}"
        for each in equations:
            symbol = write_symbol(each.name)
            if with_general:
                yield rf"{symbol} &= {printer.print_expression(each.general)} \\"
                symbol = ""
            yield rf"{symbol} &= {printer.print_expression(each.folded)} \\"
        yield r"\end{align*}"
    yield r"\paragraph{Results}"
    yield r"\begin{align*}"
    for argument, elements in recursion.results:
        for index, element in enumerate(elements):
            place = printer.print_element(Element(argument.name, index))
            yield rf"{place} &= {printer.print_expression(element)} \\"
    yield r"\end{align*}"
    yield r"\end{document}"


def _open_document(title: str) -> Iterator[str]:
    yield r"\documentclass{article}"
    yield r"\usepackage{amsmath}"
    yield r"\allowdisplaybreaks"
    yield r"\begin{document}"
    yield rf"\section*{{{_escape(title)}}}"


def _escape(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    return re.sub(r"([\\{}_^#&%$~])", lambda found: _ESCAPES.get(found[0], "\\" + found[0]), text)


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def write_closed_form(robot: str, closed: ClosedForm, form: str) -> str:
    """Return the closed form of a robot's equations of motion in a notation."""
    return "\n".join(_iterate_closed_form(robot, closed, form)) + "\n"


def _iterate_closed_form(robot: str, closed: ClosedForm, form: str) -> Iterator[str]:
    parts = {"M": closed.mass_matrix, "C": closed.coriolis_matrix, "g": closed.gravity_forces}
    title = f"{robot}: equations of motion, tau = M qdd + C qd + g"
    if form == "latex":
        yield from _open_document(f"{robot}: equations of motion")
        yield r"\[ \tau = M(q)\,\ddot q + C(q, \dot q)\,\dot q + g(q) \]"
        yield r"\begin{align*}"
    else:
        yield f"# {title}\n" if form == "markdown" else title
    for name, matrix in parts.items():
        for row in range(matrix.rows):
            for column in range(matrix.cols):
                indices = (row + 1,) if name == "g" else (row + 1, column + 1)
                entry = _round_fractions(matrix[row, column])
                if form == "latex":
                    below = "".join(map(str, indices))
                    text = sympy.latex(entry, symbol_names=_name_symbols(closed))
                    yield rf"{name}_{{{below}}} &= {text} \\"
                else:
                    mark, start = ("`", "- ") if form == "markdown" else ("", "  ")
                    place = f"{name}[{', '.join(map(str, indices))}]"
                    yield f"{start}{mark}{place} = {entry}{mark}"
    if form == "latex":
        yield r"\end{align*}"
        yield r"\end{document}"
    elif closed.numbers:
        yield "\nNumbers of the description"
        yield from (f"  {name} = {float(value):g}" for name, value in closed.numbers.items())


def _name_symbols(closed: ClosedForm) -> dict[sympy.Symbol, str]:
    """Return the LaTeX symbols of positions, velocities and names of numbers."""
    names = {q: f"q_{{{joint}}}" for joint, q in enumerate(closed.positions, 1)}
    names |= {qd: rf"\dot q_{{{joint}}}" for joint, qd in enumerate(closed.velocities, 1)}
    return names | {sympy.Symbol(name): write_symbol(name) for name in closed.numbers}


def _round_fractions(expression: sympy.Expr) -> sympy.Expr:
    """Return an expression with decimals of 10 digits for fractions with long denominators."""
    long = [number for number in expression.atoms(sympy.Rational) if number.q > 9]
    return expression.xreplace({number: sympy.Float(number, 10) for number in long})
