"""Writer of CUDA: reserved words, declarations and statements of functions for device and host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dynagen.codegen.c_statements import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    RESERVED,
    TRIGONOMETRIC,
    CStatementWriter,
    declare_function,
)
from dynagen.codegen.layouts import Conventions
from dynagen.codegen.tree import Function, Segment
from dynagen.ir.program import Argument, Element, Operation
from dynagen.ir.statements import SineCosine
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real

# Variables and types of device code, and names of the header's own templates.
_TAKEN = """
    blockDim blockIdx blocks count dim3 double2 float2 gridDim memcpy shared size_t state stream
    stride threadIdx warpSize
"""
KEPT = "kept"
"""Name of the array of a thread's values in shared memory."""
CONVENTIONS = Conventions(RESERVED.union(_TAKEN.split(), [KEPT]))


class CudaWriter(CStatementWriter):
    """Writer of CUDA functions whose array arguments may have any type with subscripts.

    Attributes:
        prefix: prefix of the functions in the header.
        places: for a part of a kernel, the elements of results in which the elements of the
            program's first output are stored; empty for a whole kernel.
        slots: mapping from the name of a value in shared memory to its index in this memory.
    """

    def __init__(
        self,
        function: Function,
        real: Real,
        prefix: str,
        places: tuple[Element, ...] = (),
        slots: Mapping[str, int] | None = None,
    ) -> None:
        self.name, self._literal_suffix, self._function_suffix = REAL_TYPES[real]
        super().__init__(function, real, self.name)
        self.prefix, self.places, self.slots = prefix, places, slots or {}
        self.numbers = {each.name for each in function.signature.inputs if not each.shape}

    def print_literal(self, value: Exact) -> str:
        """Return a number as a CUDA literal, with the suffix `f` for float."""
        return self.print_decimal(value) + self._literal_suffix

    def print_name(self, name: str) -> str:
        """Return the CUDA text of a value: a local variable, or an element of shared memory."""
        return f"{KEPT}[{self.slots[name]}]" if name in self.slots else super().print_name(name)

    def print_element(self, element: Element) -> str:
        """Return the CUDA text of an array element such as `q[2]`; a scalar input has no index.

        A part of a kernel stores its results in the arrays of the whole kernel's results.
        """
        if self.places and element.argument == self.tree.signature.outputs[0].name:
            element = self.places[element.index]
        if element.argument in self.numbers:
            return element.argument
        return super().print_element(element)

    def name_function(self, operation: Operation) -> str:
        """Return the name of the function that computes an operation.

        It is a function of CUDA, or a function that the generated header defines.
        """
        if operation in TRIGONOMETRIC:
            return f"{self.prefix}_{'sin' if operation is Operation.SINE else 'cos'}"
        if helper := HELPERS.get(operation):
            return f"{self.prefix}_{helper.name}"
        return MATH_FUNCTIONS[operation] + self._function_suffix

    def name_table(self, table: Table) -> str:
        """Return the name of the header's function that looks up a table of constants."""
        return f"{self.prefix}_{table.name}"

    def write_sine_cosine(self, angle: SineCosine) -> Iterator[str]:
        """Yield a CUDA call that computes the sine and cosine of an angle (rad)."""
        if not (angle.sine and angle.cosine):
            yield from super().write_sine_cosine(angle)
            return
        yield f"{self.indent}{self.type} {angle.sine}, {angle.cosine};"
        text = self.print_expression(angle.angle)
        yield from self.write_statement(
            f"{self.prefix}_sincos({text}, {angle.sine}, {angle.cosine});"
        )

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield the definition of the status `name`: 0 if `value` is positive, else 1."""
        yield f"{self.indent}const int {name} = {value} > 0 ? 0 : 1;"

    def name_segment(self, segment: Segment) -> str:
        """Raise NotImplementedError, because CUDA functions are not divided into segments.

        Segments of a CUDA function could not share registers.
        """
        raise self._refuse(type(segment).__name__)

    def write_head(self, arguments: tuple[Argument, ...], returned: str) -> str:
        """Return the CUDA declaration of the function, with the line `template`, without semicolon.

        Args:
            arguments: arguments in the order of the function's parameters. Every array parameter
                has its own template type.
            returned: type of the returned value, such as `int`.
        """
        arrays = [each for each in arguments if each.name not in self.numbers]
        types = {each.name: f"Array{place}" for place, each in enumerate(arrays, 1)}
        inputs = {each.name for each in self.tree.signature.inputs}
        parameters = []
        for each in arguments:
            constant = "const " if each.name in inputs else ""
            parameters.append(f"{constant}{types.get(each.name, self.type)} {each.name}")
        head = declare_function(
            f"{self.prefix.upper()}_FUNCTION {returned}",
            self.tree.symbol,
            [*parameters, *([f"{self.prefix}_kept {KEPT}"] if self.slots else [])],
        )
        return f"template <{', '.join(f'class {name}' for name in types.values())}>\n{head}"
