"""C99 that is also C++: a header, and one kernel a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.backends import documentation
from dynagen.backends.manifest import with_manifest
from dynagen.backends.naming import NameTable, assigned_names
from dynagen.backends.package import Kernel, Package, SourceFile
from dynagen.backends.printing import Printer, break_line
from dynagen.backends.templating import fill
from dynagen.ir.program import Argument
from dynagen.ir.statements import Constant, Element, Expression, Listing, SineCosine, statements

_INDENT = "    "
# Keywords of C and C++; functions of <math.h>, which a local variable would hide; macros of common compilers and systems.
_RESERVED = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class co_await co_return co_yield compl concept
    const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit
    export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
    or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union
    unsigned using virtual void volatile wchar_t while xor xor_eq
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
    fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow
    remainder remquo rint round scalb scalbn signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
    abs bit far huge interface linux max min near small unix
    """.split()
)


class CBackend:
    """Target language C."""

    name = "c"
    aliases = ("c99",)
    layout = "row-major"

    def symbol(self, package: Package, kernel: Kernel) -> str:
        """`<prefix>_<function>`."""
        return f"{package.prefix}_{kernel.function}"

    def kernel_path(self, package: Package, kernel: Kernel) -> str:
        """One kernel a file."""
        return f"src/{self.symbol(package, kernel)}.c"

    def render(self, package: Package) -> tuple[SourceFile, ...]:
        """Header, kernels, README and manifest."""
        functions = [_Function(package, self.symbol(package, kernel), kernel) for kernel in package.kernels]
        prefix = package.prefix
        shared = {"prefix": prefix, "macro": prefix.upper(), "origin": documentation.origin(package)}
        header = fill(
            "c/header.h.j2",
            **shared,
            robot=documentation.comment_block(documentation.robot_lines(package), " * "),
            joints=documentation.comment_block(documentation.joint_lines(package, 0), " * "),
            ownership=documentation.OWNERSHIP,
            joint_count=len(package.joints),
            functions=functions,
        )
        sources = [
            SourceFile(self.kernel_path(package, kernel), fill("c/kernel.c.j2", **shared, function=function))
            for kernel, function in zip(package.kernels, functions, strict=True)
        ]
        readme = fill(
            "c/README.md.j2",
            **shared,
            **documentation.readme_values(package),
            joint_rows=documentation.joint_rows(package, 0),
            functions=functions,
        )
        files = (SourceFile(f"include/{prefix}.h", header), *sources, SourceFile("README.md", readme))
        return with_manifest(package, self, files)


@dataclass(frozen=True)
class _Function:
    """A kernel as the templates see it."""

    package: Package
    symbol: str
    kernel: Kernel
