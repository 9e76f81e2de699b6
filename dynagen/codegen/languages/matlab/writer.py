"""Writer of MATLAB code: reserved words, literals, subscripts and statements."""

from __future__ import annotations

from collections.abc import Iterator

from dynagen.codegen.layouts import Conventions
from dynagen.codegen.printing import WIDTH, break_line, list_subscripts
from dynagen.codegen.writer import Writer
from dynagen.errors import UsageError
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Expression
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT
from dynagen.robot.names import MAX_NAME

CLASSES = {DOUBLE: "double", FLOAT: "single"}
"""Mapping from a number type to the name of MATLAB's class for it."""
# Keywords of MATLAB, and further keywords of Octave.
_WORDS = """
    break case catch classdef continue else elseif end for function global if otherwise parfor
    persistent return spmd switch try while
    do end_try_catch end_unwind_protect endclassdef endenumeration endevents endfor endfunction
    endif endmethods endparfor endproperties endswitch endwhile enumeration events methods
    properties until unwind_protect unwind_protect_cleanup
"""
# Functions that generated code calls, which a variable would hide.
_FUNCTIONS = """
    abs addpath ans cell class cos double eps error exp fileparts floor fprintf inf isa isequal
    isvector max mfilename min nan ndims nnz numel permute repmat reshape sign sin single size sqrt
    struct tanh zeros
"""
ROOT, LEAST, GREATEST = "root_of", "min_of", "max_of"
RESERVED = frozenset({*_WORDS.split(), *_FUNCTIONS.split(), ROOT, LEAST, GREATEST})
"""Names that arguments and values in generated MATLAB code must not have."""
# sqrt of a negative number is complex in MATLAB; its min and max ignore NaN.
HELPERS = {Operation.SQRT: ROOT, Operation.MINIMUM: LEAST, Operation.MAXIMUM: GREATEST}
"""Mapping from operations to the names of helper functions that a file defines."""
_NAMES = {
    Operation.SINE: "sin",
    Operation.COSINE: "cos",
    Operation.ABSOLUTE: "abs",
    Operation.SIGN: "sign",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
    **HELPERS,
}
CONTINUED = " ..."


def check_name(name: str) -> str:
    """Return a MATLAB name unchanged after checking that it has at most 63 characters.

    Raises:
        UsageError: the name is longer than MATLAB allows (`namelengthmax`).
    """
    if len(name) > MAX_NAME:
        raise UsageError(
            f"the MATLAB name {name} is longer than {MAX_NAME} characters; choose a shorter "
            "--prefix"
        )
    return name


CONVENTIONS = Conventions(RESERVED, check=check_name)


class MatlabWriter(Writer):
    """Writer of MATLAB functions for one state.

    Literals in MATLAB code are always of the class double. An operation on a double and a single
    is nevertheless computed in single precision.
    """

    indent = "  "

    def print_literal(self, value: Exact) -> str:
        """Return a number as the shortest decimal that MATLAB reads as the same double.

        For single, the number is first rounded to single.
        """
        return repr(float(self.real.round(value)))

    def print_element(self, element: Element) -> str:
        """Return the MATLAB text of an element such as `M(1, 2)`; a scalar has no subscripts."""
        subscripts = list_subscripts(self.arguments[element.argument], element.index, first=1)
        return f"{element.argument}({', '.join(subscripts)})" if subscripts else element.argument

    def name_function(self, operation: Operation) -> str:
        """Return the name of the MATLAB function that computes an operation.

        It is built into MATLAB, or the generated file defines it.
        """
        return _NAMES[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield a MATLAB assignment of the text `expression` to `name`, in one line or several."""
        yield from continue_lines(f"{self.indent}{name} = {expression};", 2 * self.indent)

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a MATLAB assignment of a value to an element of a result."""
        yield from self.assign(self.print_element(place), self.print_expression(value))

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield the MATLAB line that sets the status `name`: 0 if `value` is positive, else 1."""
        yield from self.assign(name, f"double(~({value} > 0))")


def continue_lines(text: str, indent: str) -> list[str]:
    """Break a MATLAB statement into lines; all except the last end with ` ...` (continuation).

    Continuation lines start with `indent`.
    """
    *lines, last = break_line(text, indent, WIDTH - len(CONTINUED))
    return [*(line + CONTINUED for line in lines), last]
