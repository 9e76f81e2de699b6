"""Code tree: a function of generated code as data, between a program and its text.

A layout (`layouts.py`, `lanes.py`) turns a program into functions of the code tree, in the same way
for all languages. A writer (`writer.py`), one class for each language, turns the tree into lines.
The layout ensures that all names in a tree are legal and unique in the language. Arithmetic
consists of the expressions of `ir.statements`: Constant, Name, Element and Application.

| node | meaning |
| --- | --- |
| Assignment | define a variable, or assign one that is declared already |
| AngleStep | compute sines and cosines of one angle, or of up to four in one call |
| Store, Fill | store a result, or one number in consecutive elements |
| StatusCode | set the status code: 0 if a number is positive, else 1 |
| Call, SegmentCall | call a function with arrays, or a part of the same function |
| Vectors, ElementwiseLoop | declare local vectors, or compute vectors element by element |
| Load | load an element of an argument in several states into a vector register |
| Section | statements under a title |
| Segment, Function | a part of a long function, or a function |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dynagen.ir.program import Element, Signature
from dynagen.ir.statements import Assignment, Constant, Expression, SineCosine, Store
from dynagen.ir.symbols import Symbol


@dataclass(frozen=True)
class AngleStep:
    """Sines and cosines of angles, in the order of the program.

    Attributes:
        angles: the angles, with the names of their sines and cosines.
        arrays: names of the arrays of angles, sines and cosines, if one call computes all sines and
            cosines; empty if each has its own call.
    """

    angles: tuple[SineCosine, ...]
    arrays: tuple[str, ...] = ()

    @property
    def results(self) -> Iterator[tuple[str, str, int]]:
        """Sines and cosines that one call computes, each as a triple.

        A triple contains the name of the variable, the name of the array that the call fills, and
        the index of the value in this array, from 0.
        """
        _, sines, cosines = self.arrays
        for place, angle in enumerate(self.angles):
            for name, array in ((angle.sine, sines), (angle.cosine, cosines)):
                if name is not None:
                    yield name, array, place


@dataclass(frozen=True)
class Fill:
    """Assignment of one number to the elements `first` to `last` of an array.

    Attributes:
        array: name of the array.
        first, last: indices from 0, both included.
        value: the number.
        index: name of the index variable, for languages that require a loop.
    """

    array: str
    first: int
    last: int
    value: Constant
    index: str


@dataclass(frozen=True)
class StatusCode:
    """Assignment of the status code `name`: 0 if the value is positive, else 1 (also for NaN)."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Call:
    """Call of a function that fills one vector.

    Attributes:
        function: symbol of the function.
        inputs: names of the arrays that the function reads.
        result: name of the vector that the function fills.
        status: name of the variable for the status code of all calls so far; empty if the function
            cannot fail.
        failed: name of the variable for this call's status code; empty for the first call.
    """

    function: str
    inputs: tuple[str, ...]
    result: str
    status: str = ""
    failed: str = ""


@dataclass(frozen=True)
class Vectors:
    """Declaration of local vectors with `size` elements each."""

    names: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class ElementwiseLoop:
    """Assignments for every element of vectors, in order.

    Attributes:
        statements: assignments that are executed for each index.
        vectors: names that denote the current element of a vector; all other names are numbers.
        size: number of elements of each vector.
        index: name of the index variable, for languages that require a loop.
    """

    statements: tuple[Assignment, ...]
    vectors: frozenset[str]
    size: int
    index: str


@dataclass(frozen=True)
class SegmentCall:
    """Call of a segment (part of a long function) by the function to which it belongs."""

    segment: Segment


@dataclass(frozen=True)
class Load:
    """Definition of the vector `name`: an argument's element, with one state in each lane."""

    name: str
    element: Element


Node = (
    Assignment
    | AngleStep
    | Store
    | Fill
    | StatusCode
    | Call
    | SegmentCall
    | Vectors
    | ElementwiseLoop
    | Load
)


@dataclass(frozen=True)
class Section:
    """Statements under a title, which becomes a comment; no comment if the title is empty."""

    title: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Segment:
    """A part of a long function, printed as a function of its own.

    Attributes:
        number: number of the segment, from 1.
        title: number and contents of the segment, as text of a comment.
        arguments: names of the function's arguments that the segment reads or fills, in order.
        uses_kept: whether the segment reads or assigns kept values: values that one segment assigns
            and another segment reads.
        assigns_kept: whether the segment assigns kept values.
        assigned: names of the values that only this segment uses, in the order of assignment.
        sections: statements of the segment.
    """

    number: int
    title: str
    arguments: tuple[str, ...]
    uses_kept: bool
    assigns_kept: bool
    assigned: tuple[str, ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Function:
    """A function of generated code.

    Attributes:
        symbol: name of the function.
        signature: arguments of the function, with legal names.
        sections: statements of the function; if results are stored at the end, the last section
            stores them.
        values: names of the values that the function itself, without its segments, assigns, in
            order.
        unread: names of the inputs that the function does not read.
        segments: segments that the function calls; empty if it is not divided.
        kept: names of the values that one segment assigns and another segment reads.
        keeper: name of the variable for the structure that holds the kept values.
        arrays: names of the arrays of angles, sines and cosines that all `AngleStep` nodes share;
            empty if each node has its own arrays.
        symbols: names that occur in the code but not in the program, such as copies of input
            elements, with their meanings.
    """

    symbol: str
    signature: Signature
    sections: tuple[Section, ...] = ()
    values: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    segments: tuple[Segment, ...] = ()
    kept: tuple[str, ...] = ()
    keeper: str = ""
    arrays: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()

    @cached_property
    def status(self) -> str:
        """Name of the output for the status code (0: success); empty if there is no such output."""
        return next((each.name for each in self.signature.outputs if each.is_status), "")
