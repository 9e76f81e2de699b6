"""Fortran 2008, free form: one module whose subroutines can be called from C too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap

from dynagen.description.names import MAX_NAME, identifier
from dynagen.errors import UsageError
from dynagen.ir.interface import PARAMS, STATUS
from dynagen.ir.program import Argument, Element, Operation
from dynagen.languages import documentation
from dynagen.languages.elements import named_elements
from dynagen.languages.manifest import with_manifest
from dynagen.languages.naming import assigned_names
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.parameters import parameter_constants, prepared_size
from dynagen.languages.printing import WIDTH, Helper, Paragraph, Printer, break_line, shape_text, shortest_decimal
from dynagen.languages.templating import fill
from dynagen.numbers.exact import Exact
from dynagen.real import DOUBLE, FLOAT

_INDENT = " " * 4
_FUNCTIONS = {
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "abs",
    Operation.SIGN: "sign_of",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
    Operation.MINIMUM: "min_of",
    Operation.MAXIMUM: "max_of",
}
# Fortran has no reserved words; these are the names that a kernel uses.
_RESERVED = frozenset({"wp", "unused", "sin", "cos", "merge", "c_int", *_FUNCTIONS.values()})


# Fortran's own may lose NaN.
_HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "merge(sign(1.0_wp, x), x, x < 0 .or. x > 0)"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "merge(x, merge(y, x + y, y <= x), x <= y)"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "merge(x, merge(y, x + y, y >= x), x >= y)"),
}
# The kind of a real number in iso_c_binding.
_KINDS = {DOUBLE: "c_double", FLOAT: "c_float"}


class FortranBackend:
    """Target language Fortran."""

    name = "fortran"
    aliases: tuple[str, ...] = ("f90", "f2008")
    layout = "natural (column-major)"
    one_file = True

    def symbol(self, package: Package, kernel: Kernel) -> str:
        """`<prefix>_<function>`, the subroutine's name and its binding label alike."""
        return f"{package.prefix}_{kernel.function}"

    def constant(self, package: Package, parameter: str) -> str:
        """`<prefix>_p_<parameter>`."""
        return _checked(f"{package.prefix}_p_{identifier(parameter)}")

    def kernel_path(self, package: Package, kernel: Kernel) -> str:
        """All kernels are in one module."""
        return f"{package.prefix}_dynamics.f90"

    def render(self, package: Package) -> tuple[SourceFile, ...]:
        """Module, README and manifest.

        Raises:
            UsageError: a name is longer than Fortran's 63 characters.
        """
        subroutines = [_subroutine(package, kernel, self.symbol(package, kernel)) for kernel in package.kernels]
        operations = {each.operation for kernel in package.kernels for each in kernel.program.instructions}
        name = _checked(f"{package.prefix}_dynamics")
        module = fill(
            "fortran/module.f90.j2",
            module=name,
            prefix=package.prefix,
            about=documentation.comment_block(documentation.about(package, 1), "! "),
            origin=documentation.origin(package),
            symbols=documentation.comment_block(documentation.symbol_lines(package.kernels), "! "),
            ownership=documentation.OWNERSHIP,
            joint_count=len(package.joints),
            kind=_KINDS[package.real],
            can_fail=any(kernel.program.can_fail for kernel in package.kernels),
            named_elements=named_elements(package),
            subroutines=subroutines,
            parameters=parameter_constants(package, self, 1),
            prepared=prepared_size(package),
            defaults=_defaults(package),
            helpers=[helper for operation, helper in _HELPERS.items() if operation in operations],
        )
        declarations, call = subroutines[package.shown].example
        readme = documentation.readme(package, self, 1, call, declarations=declarations, kind=_KINDS[package.real])
        return with_manifest(package, self, (SourceFile(f"{name}.f90", module), readme))


@dataclass(frozen=True)
class _Subroutine:
    """A kernel as the templates see it."""

    symbol: str
    summary: str
    arguments: str
    opening: list[str]
    declarations: list[str]
    unread: list[str]
    paragraphs: list[Paragraph]
    example: tuple[str, str]


def _subroutine(package: Package, kernel: Kernel, symbol: str) -> _Subroutine:
    printer = _FortranPrinter(package, kernel, {_checked(symbol), f"{package.prefix}_n"})
    return _Subroutine(
        symbol=symbol,
        summary=documentation.explained(package, kernel, "  ! "),
        arguments=documentation.comment_block(documentation.argument_lines(kernel), "  !   "),
        opening=printer.opening(symbol),
        declarations=printer.declarations(),
        unread=printer.unread_inputs(),
        paragraphs=[*printer.paragraphs(), printer.stores()],
        example=printer.example(symbol),
    )


def _defaults(package: Package) -> str:
    """Of the run-time parameters, in the lines of an array constructor."""
    numbers = ", ".join(f"{shortest_decimal(parameter.value, package.real)}_wp" for parameter in package.parameters)
    return " &\n".join(_INDENT + line for line in wrap(numbers, WIDTH - 2 * len(_INDENT), break_on_hyphens=False))


def _checked(name: str) -> str:
    if len(name) > MAX_NAME:
        raise UsageError(f"the Fortran name {name} is longer than {MAX_NAME} characters; choose a shorter --prefix")
    return name


class _FortranPrinter(Printer):
    """Prints a kernel as Fortran."""

    def __init__(self, package: Package, kernel: Kernel, taken: Iterable[str]) -> None:
        super().__init__(kernel.program, package.real, _RESERVED.union(taken))
        for name in self.names.values():
            _checked(name)

    def literal(self, value: Exact) -> str:
        return f"{self.decimal(value)}_wp"

    def element(self, element: Element) -> str:
        return f"{self.names[element.argument]}({self.subscripts(element, 1)})"

    def function(self, operation: Operation) -> str:
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        yield from _continued(f"{_INDENT}{name} = {expression}")

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        if sine:
            yield from self.assign(sine, f"sin({angle})")
        if cosine:
            yield from self.assign(cosine, f"cos({angle})")

    def stores(self) -> Paragraph:
        """Store the results."""
        stores = (self.assign(self.element(target), self.expression(value)) for target, value in self.results())
        lines = [line for lines in stores for line in lines]
        if (status := self.status()) is not None:
            lines.append(f"{_INDENT}{self.names[STATUS]} = merge(0_c_int, 1_c_int, {status} > 0)")
        return Paragraph("Results", tuple(lines))

    def opening(self, symbol: str) -> list[str]:
        """The subroutine statement."""
        line = f'  subroutine {symbol}({self._argument_list()}) bind(c, name="{symbol}")'
        if len(line) <= WIDTH:
            return [line]
        return [f"  subroutine {symbol}( &", f"      {self._argument_list()}) &", f'      bind(c, name="{symbol}")']

    def declarations(self) -> list[str]:
        """Arguments one a line, then the local values."""
        program = self.program
        lines = [f"{_INDENT}real(wp), intent(in) :: {self._dimensioned(argument)}" for argument in program.inputs]
        lines += [f"{_INDENT}real(wp), intent(out) :: {self._dimensioned(output.argument)}" for output in program.results]
        if program.can_fail:
            lines.append(f"{_INDENT}integer(c_int), intent(out) :: {self.names[STATUS]}")
        head = f"{_INDENT}real(wp) ::"
        line = head
        for name in assigned_names(self.listing):
            item = f" {self.names[name]}"
            if line != head and len(line) + len(item) + 1 > WIDTH:
                lines.append(line)
                line = head
            line += item if line == head else f",{item}"
        return lines if line == head else [*lines, line]

    def example(self, symbol: str) -> tuple[str, str]:
        """The arrays of a call, and the call; run-time parameters have been prepared before."""
        new = [argument for argument in self.program.arguments if argument.name not in (PARAMS, STATUS)]
        declarations = [f"real({_KINDS[self.real]}) :: {self._dimensioned(argument)}" for argument in new]
        zeros = [f"{self.names[argument.name]} = 0" for argument in new if argument in self.program.inputs]
        return "\n".join(declarations), "\n".join([*zeros, f"call {symbol}({self._argument_list()})"])

    def _argument_list(self) -> str:
        return ", ".join(self.names[argument.name] for argument in self.program.arguments)

    def _dimensioned(self, argument: Argument) -> str:
        return f"{self.names[argument.name]}({shape_text(argument)})"


def _continued(statement: str) -> Iterator[str]:
    *lines, last = break_line(statement, 2 * _INDENT, WIDTH - len(" &"))
    yield from (f"{line} &" for line in lines)
    yield last
