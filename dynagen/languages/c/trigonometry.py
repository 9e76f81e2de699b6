"""Sine and cosine of several angles in one step, in vectors of GNU C: text for the private headers."""

from __future__ import annotations

from dynagen.languages import documentation
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.templating import fill
from dynagen.languages.trigonometry import REACH, constants


def trig_header(package: Package) -> SourceFile:
    """The private header of kernels for one state."""
    text = fill(
        "c/trig.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        origin=documentation.origin(package),
        reach=REACH,
        core=sincos(package, "vector"),
    )
    return SourceFile(f"src/{package.prefix}_trig.h", text)


def sincos(package: Package, vector: str) -> str:
    """The function that takes a vector of angles: `<prefix>_sincos_<vector>`. That for one state looks for far angles itself.

    Args:
        package: whose names and type it is to have.
        vector: name of the type of vector, after the prefix; always of doubles.
    """
    text = fill(
        "c/sincos.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        type=vector,
        tested=vector == "vector",
        shift=1.5 * 2**52,
        **constants(package.real),
    )
    return text.rstrip("\n")
