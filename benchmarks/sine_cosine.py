"""Accuracy of the sines and cosines of `--trig vector`, and their coefficients.

The program computes minimax polynomials by the Remez exchange algorithm with 60 digits (mpmath).
dynagen/codegen/trigonometry.py contains their coefficients, rounded to doubles. The program also
prints a table of the largest errors, in units in the last place. The errors are measured at many
random angles, and at the numbers next to each multiple of pi/2 up to 1e5. The exact values are
computed by the C library in long double, with a mantissa of 64 bits. The program requires gcc on
x86-64. A million angles take 0.2 s on one processor.

    python benchmarks/sine_cosine.py [COUNT]
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mpmath
from mpmath import mpf

import dynagen

BUILD = Path(__file__).parents[1] / "build" / "sine_cosine"
BUILDS = {
    "separate multiplications and additions": ("-ffp-contract=off",),
    "fused (AVX2)": ("-mavx2", "-mfma", "-ffp-contract=fast"),
}
RANGES = {
    "up to pi/4": "1",
    "up to 4": "2",
    "up to 100": "3",
    "up to 1e5": "4",
    "4e-18 to 1e5, logarithmically uniform": "5",
}
NEAR = {"the 20 numbers nearest to each multiple of pi/2": "6"}
COEFFICIENTS = {"double": 6, "float": 3}

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "planar3_trig.h"

static double worst_sine, worst_cosine;

static double unit(long double value)
{
    const planar3_real size = (planar3_real)fabsl(value);
    return (double)(sizeof size == 4 ? nextafterf((float)size, INFINITY) - size
        : nextafter(size, INFINITY) - size);
}

static void take(const double x[4])
{
    planar3_four angles = {x[0], x[1], x[2], x[3]}, sines, cosines;
    planar3_sincos_four(4, &angles, &sines, &cosines);
    for (int k = 0; k < 4; k++) {
        const long double s = sinl(x[k]), c = cosl(x[k]);
        worst_sine = fmax(worst_sine, (double)(fabsl((planar3_real)sines[k] - s)/unit(s)));
        worst_cosine = fmax(worst_cosine, (double)(fabsl((planar3_real)cosines[k] - c)/unit(c)));
    }
}

static double random_number(unsigned long *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11)*0x1p-53;
}

int main(int count, char **words)
{
    (void)count;
    const int range = atoi(words[1]);
    const double reach[] = {0, 0.785398, 4, 100, 1e5};
    unsigned long state = 88172645463325252ul + 2654435761ul*strtoul(words[3], NULL, 10);
    const long pi_halves = 63661;
    double x[4];
    for (long n = 0; range < 6 && n < atol(words[2]); n += 4) {
        for (int k = 0; k < 4; k++) {
            const double r = random_number(&state), sign = random_number(&state) < 0.5 ? -1 : 1;
            x[k] = (planar3_real)(range < 5 ? sign*r*reach[range] : sign*exp(r*51.5 - 40));
        }
        take(x);
    }
    for (long n = -pi_halves; range == 6 && n <= pi_halves; n++) {
        planar3_real y = (planar3_real)(n*1.57079632679489661923132169163975144L);
        for (int k = 0; k < 8; k++) {
            y = sizeof y == 4 ? nextafterf((float)y, -INFINITY) : nextafter(y, -INFINITY);
        }
        for (int k = 0; k < 20; k++) {
            x[k % 4] = y;
            y = sizeof y == 4 ? nextafterf((float)y, INFINITY) : nextafter(y, INFINITY);
            if (k % 4 == 3) {
                take(x);
            }
        }
    }
    printf("%.4f %.4f\\n", worst_sine, worst_cosine);
    return 0;
}
"""


def best_polynomial(
    function: Callable[[mpf], mpf], weight: Callable[[mpf], mpf], size: int
) -> tuple[list[mpf], mpf]:
    """Return coefficients of a minimax polynomial in z = r^2 for |r| <= pi/4, and its error.

    Args:
        function: function of z that is approximated.
        weight: weight of the error at z.
        size: number of coefficients.
    """
    low, high = mpf("1e-8"), (mpmath.pi / 4 + mpf("0.001")) ** 2
    grid = [low + (high - low) * place / 800 for place in range(801)]
    points = [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * place / size)
        for place in range(size + 1)
    ]
    for _ in range(10):
        rows = [
            [*(z**power for power in range(size)), (-1) ** place / weight(z)]
            for place, z in enumerate(points)
        ]
        solution = mpmath.lu_solve(
            mpmath.matrix(rows), mpmath.matrix([function(z) for z in points])
        )
        coefficients = list(solution[:size])
        errors = [(mpmath.polyval(coefficients[::-1], z) - function(z)) * weight(z) for z in grid]
        points = [grid[place] for place in _alternating(errors)]
    return coefficients, max(map(abs, errors))


def _alternating(errors: list[mpf]) -> list[int]:
    """Return the index of the largest error in each sequence of consecutive errors of one sign."""
    places = [0]
    for place, error in enumerate(errors):
        if error * errors[places[-1]] < 0:
            places.append(place)
        elif abs(error) > abs(errors[places[-1]]):
            places[-1] = place
    return places


def coefficients() -> str:
    """Compute the minimax polynomials, and return their coefficients as text."""
    lines = []
    with mpmath.workdps(60):
        sine = (lambda z: (mpmath.sinc(mpmath.sqrt(z)) - 1) / z, lambda z: z)
        cosine = (lambda z: (mpmath.cos(mpmath.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2)
        for name, functions in {"sine": sine, "cosine": cosine}.items():
            for real, size in COEFFICIENTS.items():
                found, error = best_polynomial(*functions, size)
                lines.append(
                    f"{name} for {real}, to 2^{float(mpmath.log(error, 2)):.1f}: "
                    f"{[float(each) for each in found]}"
                )
    return "\n".join(lines)


def measured(real: str, build: str, ranges: str, count: int) -> tuple[float, float]:
    """Measure the largest errors of sine and cosine, in units in the last place.

    Args:
        real: floating-point type.
        build: key of BUILDS.
        ranges: value of RANGES or NEAR, which selects the range of angles.
        count: number of angles in a range.
    """
    folder = BUILD / real
    dynagen.generate("planar3", real=real, trig="vector", out=folder / "c", verify=False)
    (folder / "accuracy.c").write_text(PROGRAM)
    program = folder / f"accuracy_{list(BUILDS).index(build)}"
    includes = (f"-I{folder}/c/include", f"-I{folder}/c/src")
    command = [
        "gcc",
        "-std=gnu99",
        "-O2",
        *BUILDS[build],
        *includes,
        str(folder / "accuracy.c"),
        "-lm",
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True)
    workers = len(os.sched_getaffinity(0)) if ranges not in NEAR.values() else 1

    def part(number: int) -> list[float]:
        words = [str(program), ranges, str(count // workers), str(number)]
        return [
            float(word)
            for word in subprocess.run(
                words, check=True, capture_output=True, text=True
            ).stdout.split()
        ]

    with ThreadPoolExecutor(workers) as pool:
        sines, cosines = zip(*pool.map(part, range(workers)), strict=True)
    return max(sines), max(cosines)


def main(count: int) -> None:
    print(coefficients())
    print(
        f"\n| type, operations | angles, {count:.0e} of each | sine | cosine |\n| --- | --- | "
        f"--: | --: |"
    )
    for real in COEFFICIENTS:
        for build in BUILDS:
            for name, ranges in {**RANGES, **NEAR}.items():
                sine, cosine = measured(real, build, ranges, count)
                print(f"| {real}, {build} | {name} | {sine:.3f} | {cosine:.3f} |", flush=True)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**6)
