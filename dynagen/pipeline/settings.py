"""Settings of a run: functions, language and effort, and the options that Python functions accept.

`Settings` is a table of options (`dynagen.options`). Command line, Python signatures, help texts,
manifest and messages on stale folders are made from this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import COMPACT, TRIG
from dynagen.codegen.targets import TARGETS
from dynagen.ir.cost import COST_MODELS, FLOPS
from dynagen.numbers.real import DOUBLE, REALS
from dynagen.optimizer.effort import DEFAULT_BUDGET, DEFAULT_OPTIMIZE, OPTIMIZE
from dynagen.options import BUILD, CORES, EFFORT, FUNCTIONS, OUTPUT, PROOF, option
from dynagen.robot.options import ReadingKeywords
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED, MOST_STATES

DEFAULT_FUNCTIONS = ("inverse_dynamics",)
MOST_CORES = 64
TARGET_OPTIONS = (
    "single_file",
    "batch",
    "threads",
    "cores",
    "release",
    "native",
    "hessian",
    "gpu",
)
"""Names of the options that only some targets offer (`Target.options`)."""


@dataclass(frozen=True)
class Settings:
    """Options of a run; command line, Python signatures and help texts are made from this table."""

    language: str = option(
        LANGUAGES.names[0],
        f"Language of the code: {', '.join(LANGUAGES.names)}.",
        group=OUTPUT,
        keyword="lang",
        metavar="NAME",
    )
    functions: tuple[str, ...] = option(
        DEFAULT_FUNCTIONS,
        "Function to generate, or `all`; `dynagen functions` lists them. `jacobian@camera` is "
        "the Jacobian of the frame `camera`. `mass_matrix+gravity_forces` is one fused kernel "
        "for two functions.",
        group=FUNCTIONS,
        flags=("-f", "--function"),
        metavar="NAME",
        repeated=True,
    )
    target: str = option(
        TARGETS.names[0],
        "Form of delivery (`dynagen targets`), such as wheel or ros2.",
        group=OUTPUT,
        metavar="NAME",
        recorded=12,
    )
    prefix: str | None = option(
        None,
        "Prefix of all public names in the generated code; an identifier.",
        group=OUTPUT,
        usual="the robot's name",
    )
    real: str = option(
        DOUBLE.name,
        "Floating-point type of the generated code.",
        group=OUTPUT,
        choices=tuple(real.name for real in REALS),
    )
    optimize: str = option(
        DEFAULT_OPTIMIZE,
        "Effort of the search for fewer operations: none uses the described frames without a "
        "search, default compares a few formulations, max searches for seconds to minutes.",
        group=EFFORT,
        choices=OPTIMIZE,
        recorded=2,
    )
    budget: int = option(
        DEFAULT_BUDGET,
        "With --optimize max: number of programs to evaluate for each function and method; equal "
        "budgets result in equal code.",
        group=EFFORT,
        least=1,
        recorded=3,
    )
    time_limit: float | None = option(
        None,
        "With --optimize max: time in s after which the search for a function ends with the best "
        "program found; the code then depends on the speed of the machine.",
        group=EFFORT,
        metavar="SECONDS",
        usual="",
        recorded=13,
    )
    cost: str = option(
        FLOPS.name,
        f"Cost model to minimise: {', '.join(model.name for model in COST_MODELS)}, or weights "
        "such as `mul=2,add=1,div=14`.",
        group=EFFORT,
        metavar="MODEL",
        recorded=1,
    )
    method: str | None = option(
        None,
        "Algorithm for a function with several algorithms, for example `articulated` for "
        "forward_dynamics; -v lists them.",
        group=EFFORT,
        metavar="NAME",
        usual="the cheapest method",
        recorded=4,
    )
    single_file: bool = option(
        False, "C: write all kernels to one source file.", group=OUTPUT, recorded=5
    )
    batch: bool = option(
        False,
        "C, Fortran: also generate batch kernels, which compute many states in SIMD lanes.",
        group=CORES,
        recorded=6,
    )
    threads: bool = option(
        False, "With --batch: divide the states among OpenMP threads.", group=CORES, recorded=7
    )
    cores: int = option(
        1,
        "C: also divide each function among this number of processor cores, which exchange "
        "values without locks (C11).",
        group=CORES,
        least=2,
        most=MOST_CORES,
        usual="",
        recorded=9,
    )
    operation_ns: float = option(
        0.25,
        "With --cores: time of one operation in ns.",
        group=CORES,
        metavar="NS",
        measured=True,
        recorded=10,
    )
    handover_ns: float = option(
        60,
        "With --cores: time in ns to pass a value to another core.",
        group=CORES,
        metavar="NS",
        measured=True,
        recorded=11,
    )
    trig: str | None = option(
        None,
        "C, Fortran: method for sines and cosines: libm calls the library for each angle, vector "
        "computes all angles in one SIMD step. C with --real float: compact computes each angle, "
        "up to 1.2e4 rad, without the library; it is small and fast on microcontrollers.",
        group=CORES,
        choices=(*TRIG, COMPACT),
        usual="libm; vector with --batch and for targets on a computer",
        recorded=8,
    )
    release: str = option(
        "0.1",
        "With --target wheel, jax, torch, platformio, arduino, zephyr, ros2 or fmu: version of the "
        "package, for example 1.0 or 2.1.3.",
        group=BUILD,
        metavar="VERSION",
    )
    native: bool = option(
        False,
        "With --target wheel, casadi, jax or torch: compile for this machine's type of processor; "
        "by default, the code runs on all processors of the same architecture.",
        group=BUILD,
    )
    gpu: bool = option(
        False,
        "With --target jax or torch: also compile the functions for NVIDIA GPUs. This requires "
        "NVRTC, but no GPU.",
        group=BUILD,
    )
    hessian: bool = option(
        False,
        "With --target casadi: also generate second derivatives, for solvers with "
        "exact Hessians. This takes minutes for arms of seven joints.",
        group=FUNCTIONS,
    )
    verify: bool = option(True, "Compile and prove the code before it is written.", group=PROOF)
    states: int = option(
        DEFAULT_COUNT,
        "Number of states on which the proof compares kernels with references.",
        group=PROOF,
        least=1,
        most=MOST_STATES,
    )
    seed: int = option(DEFAULT_SEED, "Seed of the proof's random states.", group=PROOF, least=0)


class EffortKeywords(ReadingKeywords, total=False):
    """Types of the options of all functions that load a robot and generate code for it.

    The tables of options contain the defaults and help texts.
    """

    strict: bool
    trig: str | None
    optimize: str
    budget: int
    time_limit: float | None
    cost: str
    states: int
    seed: int


class LoadKeywords(EffortKeywords, total=False):
    """Options that `dynagen.load` accepts."""

    lang: str
    real: str


class LibraryKeywords(EffortKeywords, total=False):
    """Options that `dynagen.casadi.load` accepts; its code is always C in double precision."""

    hessian: bool


class LearningKeywords(EffortKeywords, total=False):
    """Options that `dynagen.jax.load` and `dynagen.torch.load` accept; kernels are always in C."""

    real: str
    gpu: bool


class CompileKeywords(LoadKeywords, total=False):
    """Options that `dynagen.compile` accepts; `dynagen wheel` accepts all except the language."""

    method: str | None


class GenerateKeywords(CompileKeywords, total=False):
    """Options that `dynagen.generate` accepts."""

    target: str
    prefix: str | None
    release: str
    native: bool
    gpu: bool
    hessian: bool
    verify: bool
    single_file: bool
    batch: bool
    threads: bool
    cores: int
    operation_ns: float
    handover_ns: float
