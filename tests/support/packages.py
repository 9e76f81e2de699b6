"""Packages made by hand, for the tests of languages and of what is delivered."""

from dataclasses import replace

from dynagen.codegen.language import load_package
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Joint, Kernel, Package, Proof
from dynagen.codegen.targets.assembly import assemble
from dynagen.ir.cost import count
from dynagen.ir.symbols import PART, SCALAR, Symbol, find_stem
from dynagen.robot.joints import PRISMATIC, REVOLUTE
from tests.support.program_parser import parse_program

# Every operation, sine and cosine alone and together, an unread input, results that are a constant
# or an input passed through, a matrix that is not square, and names that are taken in one language
# or another.
EVERYTHING = """
program everything
input q[3] "joint positions" "rad" "rad" "m"
input qd[3] "joint velocities" "rad/s" "rad/s" "m/s"
input qdd[3] "joint accelerations" "rad/s^2" "rad/s^2" "m/s^2"
output tau[3] "joint forces" "N m" "N m" "N"
output jacobian[2, 3] "a matrix" "m"
section "Sines and cosines"
  s1, c1 = sincos(q[0])
  s2, _ = sincos(q[0] + q[1])
  _, c3 = sincos(q[1])
section "Arithmetic"
  y0 = -1.49*qd[0] - 0.25
  int = q[2]*(s1 - (c1 - s2))/(2.5 + c3*c3)
  lambda = -(y0*int) + sqrt(3.0 + s2*s2)
  wp = -qd[1] - (-2.0)*(y0 + (int + lambda))
  np = y0/(int*(-lambda))
result tau = wp, q[0], np
result jacobian = lambda, 0, wp, 1/3, qd[0], np
""".replace("1/3", "{1/3}")

GRAVITY = """
program gravity_forces
input q[3] "joint positions" "rad"
output g[2] "joint forces that hold the robot against gravity" "N m"
section "Joint positions"
  _, c1 = sincos(q[0])
section "Backward: joint 2"
  f2_x = 9.81*c1
result g = f2_x, 0
"""


PASSED_THROUGH = """
program swap
input q[3] "positions" "m"
input qd[3] "velocities" "m/s"
output tau[3] "forces" "N"
section "Nearly nothing to compute"
  tau_0 = q[0] + q[2]
result tau = q[1], q[0], tau_0
"""


# What is not the same in every lane of a vector: opaque functions, constants among their operands,
# a status.
OPAQUE = """
program opaque
input q[4] "numbers" "m"
output y[8] "results" "m"
status status[1] "0 or 1" ""
section ""
  root = sqrt(q[0])
  size = abs(q[1])
  signum = sign(q[1])
  tangent = tanh(q[2])
  power = exp(q[2])
  least = min(q[1], 0.25)
  most = max(q[1], q[3])
  constant = tanh(0.5)
  pivot = q[1]*q[3]
result y = root, size, signum, tangent, power, least, most, constant
result status = pivot
"""


REFERENCES = ("Newton-Euler", "Lagrange")


def symbols_of(program, meaning="an example"):
    """Symbols for all names of a program, and one that does not occur."""
    names = (instruction.name for instruction in program.instructions if instruction.name)
    stems = dict.fromkeys([*map(find_stem, names), "absent"])
    return tuple(
        Symbol(stem, "i", SCALAR, f"{meaning}: {stem}") for stem in stems if stem != PART.stem
    )


def kernel(text, summary="tau = ID(q, qd, qdd)", meaning="an example"):
    program = parse_program(text.strip() + "\n")
    program = replace(program, symbols=symbols_of(program, meaning))
    return Kernel(summary, program, count(program), program.name, references=REFERENCES)


def vectors(*kernels):
    """Three states."""
    arguments = {
        argument.name: argument for kernel in kernels for argument in kernel.program.inputs
    }
    return {
        name: tuple(
            tuple(state * (0.25 + 0.5 * index) for index in range(argument.size))
            for state in (1, 2, 3)
        )
        for name, argument in arguments.items()
    }


def package(*kernels, **changes):
    kernels = kernels or (kernel(EVERYTHING),)
    values = {
        "robot": "puma560",
        "prefix": "puma560",
        "source": "Dhanaraj (1990), Tables 2.1, 2.5, 2.6",
        "gravity": "(0, 0, -9.8)",
        "joints": (
            Joint("shoulder", REVOLUTE, "shoulder"),
            Joint("upper arm", REVOLUTE, "upper arm"),
            Joint("slide", PRISMATIC, "slide"),
        ),
        "input_name": "puma560.yaml",
        "input_sha256": "0f" * 32,
        "version": "1.2.3",
        "kernels": kernels,
        "proof": Proof(1000, 7, 1e-12, "Nothing is off by more than the bound."),
        "vectors": vectors(*kernels),
    }
    return Package(**{**values, **changes})


def render(language, made):
    """All files of a package."""
    return assemble(made, find_language(language))


def loaded(language, made):
    """Its kernels."""
    return load_package(find_language(language), made, render(language, made))


def texts(files):
    return {file.path: file.text for file in files}
