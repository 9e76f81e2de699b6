"""Writer of C++ templates: reserved words, declarations and statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynagen.codegen.c_statements import CStatementWriter, declare_function
from dynagen.codegen.layouts import Conventions
from dynagen.codegen.naming import wrap_text
from dynagen.codegen.printing import WIDTH, Helper
from dynagen.codegen.tree import Function, Segment
from dynagen.ir.program import Argument, Element, Operation
from dynagen.ir.statements import Constant, Expression
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import FLOAT, Real

# C++20, [lex.key] and [lex.digraph].
_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq
"""
MATH_FUNCTIONS = {
    Operation.SINE: "sin",
    Operation.COSINE: "cos",
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "abs",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
}
"""Functions of <cmath>; argument-dependent lookup finds overloads for other number types."""
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "x > Real(0) ? Real(1) : x < Real(0) ? Real(-1) : x"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "x <= y ? x : y <= x ? y : Real(x + y)"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "x >= y ? x : y >= x ? y : Real(x + y)"),
}
NUMBER = "Number"
"""C++ type of constants: a plain number, because its product with a dual number costs little."""
_MACROS = "bit far huge interface linux near small unix"
RESERVED = frozenset(
    [
        *_WORDS.split(),
        *MATH_FUNCTIONS.values(),
        *(helper.name for helper in HELPERS.values()),
        *_MACROS.split(),
        *("Real", NUMBER, "std", "size_t", "n", "nq"),
    ]
)
CONVENTIONS = Conventions(RESERVED, aliasing=True)


class CppWriter(CStatementWriter):
    """Writer of C++ function templates.

    Attributes:
        numbers: names of inputs that are a single number instead of an array.
    """

    def __init__(self, function: Function, real: Real) -> None:
        super().__init__(function, real, "Real")
        self._suffix = "f" if real is FLOAT else ""
        self.numbers = {each.name for each in function.signature.inputs if not each.shape}

    def print_literal(self, value: Exact) -> str:
        """Return a number as a C++ literal that is converted to the type `Number`."""
        return f"{NUMBER}({self.print_decimal(value)}{self._suffix})"

    def print_expression(self, expression: Expression) -> str:
        """Return the C++ text of an expression; a single constant is converted to `Real`."""
        text = super().print_expression(expression)
        return f"Real{text.removeprefix(NUMBER)}" if isinstance(expression, Constant) else text

    def print_element(self, element: Element) -> str:
        """Return the C++ text of an array element such as `q[2]`; a scalar input has no index."""
        if element.argument in self.numbers:
            return element.argument
        return super().print_element(element)

    def name_function(self, operation: Operation) -> str:
        """Return the name of the C++ function that computes an operation.

        It is a function of <cmath>, or a function that the generated header defines.
        """
        helper = HELPERS.get(operation)
        return helper.name if helper else MATH_FUNCTIONS[operation]

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield the C++ definition of the status `name`: 0 if `value` is positive, else 1."""
        yield f"{self.indent}const int {name} = {value} > {NUMBER}(0) ? 0 : 1;"

    def name_segment(self, segment: Segment) -> str:
        """Return the name of the C++ function for a segment (part) of a long kernel."""
        return f"{self.tree.symbol}_segment_{segment.number}"

    def write_structure(self) -> list[str]:
        """Return the C++ lines that declare the values which segments (parts) of a kernel share."""
        return wrap_text(f"Real {', '.join(self.tree.kept)};", WIDTH - 2 * len(self.indent))

    def write_segment_head(self, segment: Segment) -> str:
        """Return the C++ declaration, without semicolon or brace, of a segment's function.

        A segment is a part of a long kernel.
        """
        parameters = [self._declare(self.arguments[name]) for name in segment.arguments]
        if segment.uses_kept:
            constant = "" if segment.assigns_kept else "const "
            parameters.append(f"{constant}{self.tree.symbol}_kept<Real> &{self.tree.keeper}")
        return declare_function("inline void", self.name_segment(segment), parameters)

    def write_head(self) -> str:
        """Return the C++ declaration of the function, without semicolon and the line `template`."""
        signature = self.tree.signature
        parameters = [self._declare(each) for each in (*signature.inputs, *signature.results)]
        returned = "inline int" if self.tree.status else "inline void"
        return declare_function(returned, self.tree.symbol, parameters)

    def _declare(self, argument: Argument) -> str:
        """Return the C++ declaration of an argument."""
        if argument.name in self.numbers:
            return f"const Real &{argument.name}"
        is_input = argument in self.tree.signature.inputs
        return f"{'const ' if is_input else ''}Real *{argument.name}"

    def write_opening(self, lines: Iterable[str], operations: Iterable[Operation]) -> list[str]:
        """Return C++ `using` lines for the names in statements that need one.

        They are `Number`, and the <cmath> functions for `operations`, such as `sin`. Only names
        that occur in `lines`, the statements, are declared.
        """
        names = [name for operation, name in MATH_FUNCTIONS.items() if operation in operations]
        opening = [f"using std::{name};" for name in names if any(f"{name}(" in x for x in lines)]
        if any(f"{NUMBER}(" in line for line in lines):
            opening.append(f"using {NUMBER} = typename number_of<Real>::type;")
        return [self.indent + line for line in opening]
