"""C99 that is also C++: a header, and one kernel a file or all in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from dynagen.description.names import identifier
from dynagen.ir.interface import PARAMS, STATUS
from dynagen.ir.program import Argument, Element, Operation
from dynagen.languages import documentation
from dynagen.languages.c.programs import build_file, example, golden_test
from dynagen.languages.c.vocabulary import HELPERS, MATH_FUNCTIONS, REAL_TYPES, RESERVED
from dynagen.languages.elements import named_elements
from dynagen.languages.manifest import with_manifest
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.parameters import parameter_constants, prepared_size
from dynagen.languages.printing import COPY, WIDTH, Helper, Paragraph, Printer, break_line, shortest_decimal
from dynagen.languages.templating import fill
from dynagen.numbers.exact import Exact

_INDENT = "    "


class CBackend:
    """Target language C."""

    name = "c"
    aliases: tuple[str, ...] = ("c99",)
    layout = "row-major"
    one_file = False

    def symbol(self, package: Package, kernel: Kernel) -> str:
        """`<prefix>_<function>`."""
        return f"{package.prefix}_{kernel.function}"

    def constant(self, package: Package, parameter: str) -> str:
        """`<PREFIX>_P_<PARAMETER>`."""
        return f"{package.prefix}_P_{identifier(parameter)}".upper()

    def kernel_path(self, package: Package, kernel: Kernel) -> str:
        """One kernel a file, unless all are to be in one."""
        return f"src/{package.prefix if package.single_file else self.symbol(package, kernel)}.c"

    def render(self, package: Package) -> tuple[SourceFile, ...]:
        """Header, kernels, example, golden test, CMakeLists.txt, README and manifest."""
        symbols = [self.symbol(package, kernel) for kernel in package.kernels]
        paths = list(dict.fromkeys(self.kernel_path(package, kernel) for kernel in package.kernels))
        functions = [_function(package, kernel, symbol) for kernel, symbol in zip(package.kernels, symbols, strict=True)]
        origin = documentation.origin(package)
        real, _, suffix = REAL_TYPES[package.real]
        parameters = parameter_constants(package, self, 0)
        header = fill(
            "c/header.h.j2",
            prefix=package.prefix,
            macro=package.prefix.upper(),
            origin=origin,
            about=documentation.comment_block(documentation.about(package, 0), " * "),
            ownership=documentation.OWNERSHIP,
            joint_count=len(package.joints),
            real=real,
            suffix=suffix,
            named_elements=named_elements(package),
            functions=functions,
            parameters=parameters,
            prepared=prepared_size(package),
            defaults=_defaults(package),
        )
        groups = [functions] if package.single_file else [[function] for function in functions]
        sources = (_source(package, path, origin, group) for path, group in zip(paths, groups, strict=True))
        readme = documentation.readme(package, self, 0, functions[package.shown].example)
        programs = [example(package, origin, symbols, parameters)]
        if package.vectors:
            programs.append(golden_test(package, origin, symbols))
        build = build_file(package, origin, paths, [program.path for program in programs])
        files = (SourceFile(f"include/{package.prefix}.h", header), *sources, *programs, build, readme)
        return with_manifest(package, self, files)


@dataclass(frozen=True)
class _Function:
    """A kernel as the templates see it."""

    kernel: Kernel
    summary: str
    explained: str
    arguments: str
    inside: str
    prototype: str
    status: str
    unread: list[str]
    paragraphs: list[Paragraph]
    copies: int
    uses_math: bool
    example: str


def _source(package: Package, path: str, origin: str, functions: list[_Function]) -> SourceFile:
    """A file of kernels; one that is alone in its file explains itself at the top."""
    copies = [COPY] if any(function.copies for function in functions) else []
    symbols = documentation.symbol_lines((function.kernel for function in functions), *copies)
    text = fill(
        "c/kernels.c.j2",
        title=f"{functions[0].explained}\n *\n{functions[0].inside}"
        if len(functions) == 1
        else f"{package.prefix}.c: the kernels of {package.prefix}.h.",
        prefix=package.prefix,
        origin=origin,
        symbols=documentation.comment_block(symbols, " * "),
        uses_math=any(function.uses_math for function in functions),
        helpers=_helpers(functions),
        functions=functions,
    )
    return SourceFile(path, text)


def _helpers(functions: list[_Function]) -> list[Helper]:
    operations = {instruction.operation for function in functions for instruction in function.kernel.program.instructions}
    return [helper for operation, helper in HELPERS.items() if operation in operations]


def _defaults(package: Package) -> str:
    """Of the run-time parameters, as a macro that initialises an array."""
    suffix = REAL_TYPES[package.real].literal_suffix
    numbers = ", ".join(shortest_decimal(parameter.value, package.real) + suffix for parameter in package.parameters)
    return " \\\n     ".join(wrap(f"{{{numbers}}}", WIDTH - 2 * len(_INDENT), break_long_words=False, break_on_hyphens=False))


def _function(package: Package, kernel: Kernel, symbol: str) -> _Function:
    printer = _CPrinter(package, kernel, symbol)
    math = {Operation.SINE, Operation.COSINE, *MATH_FUNCTIONS}
    return _Function(
        kernel=kernel,
        summary=documentation.summary(package, kernel, " * "),
        explained=documentation.explained(package, kernel, " * "),
        arguments=documentation.comment_block(documentation.argument_lines(kernel, "returns"), " *   "),
        inside=documentation.comment_block(documentation.argument_lines(kernel), " *   "),
        prototype=printer.prototype(symbol),
        status=printer.status_name,
        unread=printer.unread_inputs(),
        paragraphs=[*printer.paragraphs(), printer.stores()],
        copies=printer.copies,
        uses_math=any(instruction.operation in math for instruction in kernel.program.instructions),
        example=printer.example(symbol),
    )


class _CPrinter(Printer):
    """Prints a kernel as C."""

    def __init__(self, package: Package, kernel: Kernel, symbol: str) -> None:
        self._type = f"{package.prefix}_real"
        self._macro = package.prefix.upper()
        _, self._literal_suffix, self._function_suffix = REAL_TYPES[package.real]
        super().__init__(kernel.program, package.real, RESERVED | {symbol, self._type})
        self.copies = 0
        self.status_name = self.names[STATUS] if kernel.program.can_fail else ""

    def literal(self, value: Exact) -> str:
        return self.decimal(value) + self._literal_suffix

    def element(self, element: Element) -> str:
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        helper = HELPERS.get(operation)
        return helper.name if helper else MATH_FUNCTIONS[operation] + self._function_suffix

    def assign(self, name: str, expression: str) -> Iterator[str]:
        yield from self._statement(f"const {self._type} {name} = {expression};")

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        if sine and cosine:
            yield f"{_INDENT}{self._type} {sine}, {cosine};"
            yield from self._statement(f"{self._macro}_SINCOS({angle}, {sine}, {cosine});")
        elif sine:
            yield from self.assign(sine, f"{self._macro}_SIN({angle})")
        elif cosine:
            yield from self.assign(cosine, f"{self._macro}_COS({angle})")

    def stores(self) -> Paragraph:
        """Store the results, after everything else has been read: an output may be the same array as an input."""
        copies: list[str] = []
        if (status := self.status()) is not None:
            copies.append(f"{_INDENT}const int {self.status_name} = {status} > 0 ? 0 : 1;")
        stores: list[str] = []
        for target, value in self.results():
            text = self.expression(value)
            if isinstance(value, Element):
                self.copies += 1
                name = self.table.claim(COPY(self.copies).text)
                copies.extend(self.assign(name, text))
                text = name
            stores.append(f"{_INDENT}{self.element(target)} = {text};")
        return Paragraph("Results", (*copies, *stores))

    def prototype(self, symbol: str) -> str:
        """The kernel's declaration, without semicolon."""
        parameters = [self._declaration(argument, "const ") for argument in self.program.inputs]
        parameters += [self._declaration(output.argument) for output in self.program.results]
        lines = [f"{'int' if self.program.can_fail else 'void'} {symbol}("]
        indent = " " * len(lines[0])
        for position, parameter in enumerate(parameters):
            text = parameter + (", " if position < len(parameters) - 1 else ")")
            if position and len(lines[-1]) + len(text) > WIDTH:
                lines[-1] = lines[-1].rstrip()
                lines.append(indent)
            lines[-1] += text
        return "\n".join(lines)

    def example(self, symbol: str) -> str:
        """A call, with its arrays declared; run-time parameters have been prepared before."""
        inputs = [f"{self._declaration(argument)} = {{0}};" for argument in self.program.inputs if argument.name != PARAMS]
        outputs = [f"{self._declaration(output.argument)};" for output in self.program.results]
        arguments = ", ".join(self.names[argument.name] for argument in self.program.arguments if argument.name != STATUS)
        call = f"{symbol}({arguments});"
        if self.program.can_fail:
            call = f"const int {self.status_name} = {call}"
        return "\n".join([*inputs, *outputs, call])

    def _declaration(self, argument: Argument, qualifier: str = "") -> str:
        return f"{qualifier}{self._type} {self.names[argument.name]}[{argument.size}]"

    def _statement(self, text: str) -> Iterator[str]:
        yield from break_line(_INDENT + text, 2 * _INDENT)
