"""Random valid programs for tests: every operation, sharing, copies, surds, names, sections,
several outputs.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from dynagen.ir.builder import Builder
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact

_UNARY = (Operation.COPY, Operation.NEGATE, Operation.NEGATE, Operation.SINE, Operation.COSINE)
_BINARY = (Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY)
# Names that a pass or a printer could come up with itself are among them.
_NAMES = (
    "a",
    "b",
    "c",
    "minus_a",
    "minus_b",
    "minus_minus_a",
    "t1",
    "t2",
    "t3",
    "w1_x",
    "s1",
    "z" * 60,
    "sine",
)


def small_rationals() -> st.SearchStrategy[Fraction]:
    """Fractions with small numerators and denominators."""
    return st.builds(Fraction, st.integers(-12, 12), st.sampled_from([1, 1, 2, 3, 7, 10]))


@st.composite
def small_exacts(draw: st.DrawFn) -> Exact:
    """Numbers with small rational parts; about a third of them with square roots."""
    number = Exact(draw(small_rationals()))
    for square in draw(st.sampled_from([(), (), (), (), (2,), (3,), (6,), (2, 3), (2, 3, 6)])):
        number = number + draw(small_rationals()) * Exact(square).sqrt()
    return number


@st.composite
def programs(
    draw: st.DrawFn,
    most_operations: int = 25,
    numbers: st.SearchStrategy[Exact] | None = None,
    inputs: tuple[Argument, ...] = (),
) -> Program:
    """Valid programs without division by zero or roots of negative numbers, as long as all inputs
    are positive.

    Args:
        most_operations: how large they may become.
        numbers: that they contain, instead of known ones.
        inputs: that they take besides, and do not use.
    """
    numbers = small_exacts() if numbers is None else numbers
    arguments = (
        Argument("q", (3,), ("rad", "rad", "m"), "joint positions"),
        Argument("u", (2, 2), ("m",) * 4, 'a "matrix" \\'),
        *inputs,
    )
    builder = Builder("random", arguments)
    names = list(draw(st.permutations(_NAMES)))
    leaves = [builder.add_element("q", 0), builder.add_element("q", 2), builder.add_element("u", 3)]
    positions = leaves + [
        builder.add_constant(draw(numbers)) for _ in range(draw(st.integers(1, 3)))
    ]
    for _ in range(draw(st.integers(0, most_operations))):
        if draw(st.integers(0, 4)) == 0:
            builder.begin_section(
                draw(
                    st.sampled_from(["", "Outward, body 1 (arm)", "Inward", 'a "quoted" \\ title'])
                )
            )
        value = _operation(draw, builder, positions, leaves, numbers)
        if names and draw(st.integers(0, 2)) == 0 and builder.can_name(value):
            builder.give_name(value, names.pop())
        positions.append(value)
    outputs = []
    for name in draw(st.sampled_from([("tau",), ("tau", "m")])):
        size = draw(st.integers(1, 4))
        values = draw(st.lists(st.sampled_from(positions), min_size=size, max_size=size))
        outputs.append(Output(Argument(name, (size,), ("N m",) * size, "result"), tuple(values)))
    return validate(builder.finish(outputs))


def _operation(
    draw: st.DrawFn,
    builder: Builder,
    positions: list[int],
    leaves: list[int],
    numbers: st.SearchStrategy[Exact],
) -> int:
    any_value = st.sampled_from(positions)
    match draw(st.integers(0, 9)):
        case 0:
            return builder.emit(
                Operation.DIVIDE, draw(any_value), _positive(draw, builder, positions, leaves)
            )
        case 1:
            return builder.emit(Operation.SQRT, _positive(draw, builder, positions, leaves))
        case 2:
            return builder.emit(
                Operation.MULTIPLY, builder.add_constant(draw(numbers)), draw(any_value)
            )
        case 3 | 4 | 5:
            return builder.emit(draw(st.sampled_from(_UNARY)), draw(any_value))
    return builder.emit(draw(st.sampled_from(_BINARY)), draw(any_value), draw(any_value))


def _positive(draw: st.DrawFn, builder: Builder, positions: list[int], leaves: list[int]) -> int:
    kind = draw(st.integers(0, 2))
    if kind == 0:
        return builder.add_constant(
            Exact(draw(st.sampled_from([2, 3, 4, 5, Fraction(1, 3), Fraction(2, 9)])))
        )
    if kind == 1:
        return draw(st.sampled_from(leaves))
    value = draw(st.sampled_from(positions))
    square = builder.emit(Operation.MULTIPLY, value, value)
    return builder.emit(Operation.ADD, square, builder.add_constant(Exact(1)))
