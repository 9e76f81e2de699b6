"""Sine and cosine of several angles in one step, in vectors of GNU C: constants and text for the private headers.

An angle is a number of quarter rotations and a rest of at most pi/4, whose sine and cosine are polynomials. The quarters are
subtracted in parts (Cody and Waite 1980, chapter 8): each has as many bits of pi/2 as a product with 65536 quarters holds
exactly. The polynomials have the smallest largest error there can be, found by Remez' exchange with 60 digits
(`benchmarks/sine_cosine.py`, which also measures how accurate the results are).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from dynagen.languages import documentation
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.templating import fill
from dynagen.real import DOUBLE, FLOAT

REACH = "1e5"
"""Up to which angle, in rad."""
HALF_PI = (1.5707963267923333, 2.5633441515839558e-12, 1.0562999066987428e-23)
"""pi/2 in parts of 37, 37 and 53 bits."""
# (sin(r)/r - 1)/r^2 and (cos(r) - 1 + r^2/2)/r^4 as polynomials in r^2. Sine and cosine are exact to 2^-58 and 2^-64 for
# double, to 2^-28 and 2^-33 for float, which is computed in double.
_SINE = {
    DOUBLE: (
        -0.16666666666666632,
        0.008333333333322285,
        -0.00019841269829700035,
        2.7557313652968426e-06,
        -2.5050751789654794e-08,
        1.5896416654446168e-10,
    ),
    FLOAT: (-0.1666665485422974, 0.008332172283108145, -0.00019516479962244275),
}
_COSINE = {
    DOUBLE: (
        0.0416666666666666,
        -0.001388888888887395,
        2.4801587289368323e-05,
        -2.7557314318021705e-07,
        2.0875718429002077e-09,
        -1.1359388193237743e-11,
    ),
    FLOAT: (0.04166664671528424, -0.0013887359791392346, 2.4437533006453342e-05),
}


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
    accurate = package.real is DOUBLE
    text = fill(
        "c/sincos.h.j2",
        prefix=package.prefix,
        macro=package.prefix.upper(),
        type=vector,
        accurate=accurate,
        reach=REACH,
        tested=vector == "vector",
        shift=1.5 * 2**52,
        two_over_pi=2 / pi,
        half_pi=HALF_PI if accurate else (HALF_PI[0], HALF_PI[1] + HALF_PI[2]),
        sine=_polynomial(_SINE[package.real]),
        cosine=_polynomial(_COSINE[package.real]),
    )
    return text.rstrip("\n")


def _polynomial(coefficients: Sequence[float]) -> str:
    """A polynomial in z, z2 and z4 by pairs (Estrin 1960): half as many steps one after the other as in Horner's scheme."""
    pairs = [coefficients[place : place + 2] for place in range(0, len(coefficients), 2)]
    terms = []
    for power, (constant, *linear) in zip(("", "z2*", "z4*"), pairs, strict=False):
        sum_of_two = "".join(f" {'-' if each < 0 else '+'} {abs(each)!r}*z" for each in linear)
        terms.append(f"{power}({constant!r}{sum_of_two})" if linear or constant < 0 else f"{power}{constant!r}")
    return " + ".join(terms)
