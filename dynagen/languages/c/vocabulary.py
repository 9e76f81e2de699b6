"""The vocabulary of C: its reserved words, and how it writes real numbers."""

from __future__ import annotations

from typing import NamedTuple

from dynagen.ir.program import Operation
from dynagen.languages.printing import Helper
from dynagen.numbers.real import DOUBLE, FLOAT, Real

_C_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
    return short signed sizeof static struct switch typedef union unsigned void volatile while
"""
_CPP_WORDS = """
    alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast consteval constexpr constinit
    co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast template this
    thread_local throw true try typeid typename using virtual wchar_t xor xor_eq
"""
# Functions of <math.h>, which a local variable would hide, and macros of common compilers and systems.
_FUNCTIONS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
    fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow
    remainder remquo rint round scalb scalbn signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
_MACROS = "abs bit far huge interface linux max min near small unix"
# What else a prefix may not be: targets that a build has anyway, the program's entry and a header that would hide <math.h>.
WORDS = {
    "C": frozenset(f"{_C_WORDS} main math".split()),
    "C++": frozenset(_CPP_WORDS.split()),
    "CMake": frozenset(["all", "clean", "help", "install", "package", "test"]),
}

# Functions of <math.h> that kernels call, for double.
MATH_FUNCTIONS = {
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "fabs",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
}
TRIGONOMETRIC = (Operation.SINE, Operation.COSINE)


# <math.h> has no sign, and its minimum and maximum lose NaN.
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "x > 0 ? 1 : x < 0 ? -1 : x"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "x <= y ? x : y <= x ? y : x + y"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "x >= y ? x : y >= x ? y : x + y"),
}
RESERVED = frozenset(f"{_C_WORDS} {_CPP_WORDS} typeof main {_FUNCTIONS} {_MACROS}".split()).union(
    helper.name for helper in HELPERS.values()
)


class RealType(NamedTuple):
    """A type of real numbers: its name, the suffix of its literals, and that of the functions of <math.h> on it."""

    name: str
    literal_suffix: str
    function_suffix: str


REAL_TYPES: dict[Real, RealType] = {
    DOUBLE: RealType("double", "", ""),
    FLOAT: RealType("float", "f", "f"),
}
