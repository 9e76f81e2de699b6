"""C99 that is also C++: a header, and one kernel a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.backends import documentation
from dynagen.backends.manifest import with_manifest
from dynagen.backends.package import Kernel, Package, SourceFile
from dynagen.backends.printing import WIDTH, Paragraph, Printer, break_line, shortest_decimal
from dynagen.backends.templating import fill
from dynagen.exact import Exact
from dynagen.ir.program import Argument, Element
from dynagen.robot.names import RESERVED_WORDS

_INDENT = "    "
# Functions of <math.h>, which a local variable would hide, and macros of common compilers and systems.
_FUNCTIONS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
    fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow
    remainder remquo rint round scalb scalbn signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
_MACROS = "abs bit far huge interface linux max min near small unix"
_RESERVED = RESERVED_WORDS.union(f"typeof {_FUNCTIONS} {_MACROS}".split())
# C's type of a real number, the suffix of its literals, and the suffix of <math.h> functions on it.
_REALS = {"double": ("double", "", "")}


class CBackend:
    """Target language C."""

    name = "c"
    aliases: tuple[str, ...] = ("c99",)
    layout = "row-major"

    def symbol(self, package: Package, kernel: Kernel) -> str:
        """`<prefix>_<function>`."""
        return f"{package.prefix}_{kernel.function}"

    def kernel_path(self, package: Package, kernel: Kernel) -> str:
        """One kernel a file."""
        return f"src/{self.symbol(package, kernel)}.c"

    def render(self, package: Package) -> tuple[SourceFile, ...]:
        """Header, kernels, README and manifest."""
        functions = [
            _function(package, kernel, self.symbol(package, kernel), self.kernel_path(package, kernel))
            for kernel in package.kernels
        ]
        shared = {
            "prefix": package.prefix,
            "macro": package.prefix.upper(),
            "origin": documentation.origin(package),
            "legend": documentation.comment_block(documentation.legend_lines(package), " *   "),
        }
        real, _, suffix = _REALS[package.real]
        header = fill(
            "c/header.h.j2",
            **shared,
            about=documentation.comment_block(documentation.about(package, 0), " * "),
            ownership=documentation.OWNERSHIP,
            joint_count=len(package.joints),
            real=real,
            suffix=suffix,
            functions=functions,
        )
        kernels = (SourceFile(function.path, fill("c/kernel.c.j2", **shared, function=function)) for function in functions)
        readme = documentation.readme(package, self, 0, functions[0].example)
        files = (SourceFile(f"include/{package.prefix}.h", header), *kernels, readme)
        return with_manifest(package, self, files)


@dataclass(frozen=True)
class _Function:
    """A kernel as the templates see it."""

    path: str
    summary: str
    arguments: str
    prototype: str
    unread: list[str]
    paragraphs: list[Paragraph]
    uses_math: bool
    example: str


def _function(package: Package, kernel: Kernel, symbol: str, path: str) -> _Function:
    printer = _CPrinter(package, kernel, symbol)
    operations = kernel.operations
    return _Function(
        path=path,
        summary=documentation.summary(package, kernel, " * "),
        arguments=documentation.comment_block(documentation.argument_lines(kernel), " *   "),
        prototype=printer.prototype(symbol),
        unread=printer.unread_inputs(),
        paragraphs=[*printer.paragraphs(), printer.stores()],
        uses_math=bool(operations.sqrt or operations.sincos),
        example=printer.example(symbol),
    )


class _CPrinter(Printer):
    """Prints a kernel as C."""

    def __init__(self, package: Package, kernel: Kernel, symbol: str) -> None:
        self._real = f"{package.prefix}_real"
        self._macro = package.prefix.upper()
        _, self._literal_suffix, self._function_suffix = _REALS[package.real]
        super().__init__(kernel.program, _RESERVED | {symbol, self._real})

    def literal(self, value: Exact) -> str:
        return shortest_decimal(value) + self._literal_suffix

    def element(self, element: Element) -> str:
        return f"{self.names[element.argument]}[{element.index}]"

    def square_root(self, operand: str) -> str:
        return f"sqrt{self._function_suffix}({operand})"

    def assign(self, name: str, expression: str) -> Iterator[str]:
        yield from self._statement(f"const {self._real} {name} = {expression};")

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        if sine and cosine:
            yield f"{_INDENT}{self._real} {sine}, {cosine};"
            yield from self._statement(f"{self._macro}_SINCOS({angle}, {sine}, {cosine});")
        elif sine:
            yield from self.assign(sine, f"{self._macro}_SIN({angle})")
        elif cosine:
            yield from self.assign(cosine, f"{self._macro}_COS({angle})")

    def stores(self) -> Paragraph:
        """Store the results, after everything else has been read: an output may be the same array as an input."""
        copies: list[str] = []
        stores: list[str] = []
        for target, value in self.results():
            text = self.expression(value)
            if isinstance(value, Element):
                name = self.table.claim(f"{target.argument}_{target.index}")
                copies.extend(self.assign(name, text))
                text = name
            stores.append(f"{_INDENT}{self.element(target)} = {text};")
        return Paragraph("Results", (*copies, *stores))

    def prototype(self, symbol: str) -> str:
        """The kernel's declaration, without semicolon."""
        parameters = [self._declaration(argument, "const ") for argument in self.program.inputs]
        parameters += [self._declaration(output.argument) for output in self.program.outputs]
        lines = [f"void {symbol}("]
        indent = " " * len(lines[0])
        for position, parameter in enumerate(parameters):
            text = parameter + (", " if position < len(parameters) - 1 else ")")
            if position and len(lines[-1]) + len(text) > WIDTH:
                lines[-1] = lines[-1].rstrip()
                lines.append(indent)
            lines[-1] += text
        return "\n".join(lines)

    def example(self, symbol: str) -> str:
        """A call, with its arrays declared."""
        inputs = [f"{self._declaration(argument)} = {{0}};" for argument in self.program.inputs]
        outputs = [f"{self._declaration(output.argument)};" for output in self.program.outputs]
        call = f"{symbol}({', '.join(self.names[argument.name] for argument in self.program.arguments)});"
        return "\n".join([*inputs, *outputs, call])

    def _declaration(self, argument: Argument, qualifier: str = "") -> str:
        return f"{qualifier}{self._real} {self.names[argument.name]}[{argument.size}]"

    def _statement(self, text: str) -> Iterator[str]:
        yield from break_line(_INDENT + text, 2 * _INDENT)
