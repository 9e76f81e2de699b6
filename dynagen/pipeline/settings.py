"""Settings of a run: what to generate, and how; and which of them the Python functions accept."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import TRIG
from dynagen.ir.cost import COST_MODELS, FLOPS
from dynagen.numbers.real import DOUBLE, REALS
from dynagen.optimizer.effort import DEFAULT_BUDGET, DEFAULT_OPTIMIZE, OPTIMIZE
from dynagen.options import option
from dynagen.robot.options import ReadingKeywords
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED, MOST_STATES

DEFAULT_FUNCTIONS = ("inverse_dynamics",)
MOST_CORES = 64


@dataclass(frozen=True)
class Settings:
    """Settings of a run: the table that all interfaces follow."""

    language: str = option(
        LANGUAGES[0].name,
        f"Target language: {', '.join(language.name for language in LANGUAGES)}.",
        keyword="lang",
        metavar="NAME",
    )
    functions: tuple[str, ...] = option(
        DEFAULT_FUNCTIONS,
        "Function to generate, or `all`; `jacobian@camera` is for the frame named camera, `mass_matrix+gravity_forces` is one "
        "kernel with the results of both. `dynagen functions` lists them.",
        flags=("-f", "--function"),
        metavar="NAME",
        repeated=True,
    )
    prefix: str | None = option(
        None, "Identifier that public names start with.", usual="the robot's name"
    )
    real: str = option(
        DOUBLE.name,
        "Type of all numbers in the generated code.",
        choices=tuple(real.name for real in REALS),
    )
    method: str | None = option(
        None,
        "How to compute functions that offer a choice.",
        metavar="NAME",
        usual="the cheapest method",
        recorded=4,
    )
    optimize: str = option(
        DEFAULT_OPTIMIZE,
        "Effort to find a formulation that costs little: none uses the robot as described, default picks the best of a "
        "handful, max searches, for seconds to minutes.",
        choices=OPTIMIZE,
        recorded=2,
    )
    budget: int = option(
        DEFAULT_BUDGET,
        "Most programs that a search evaluates, for each function and method. The same budget gives the same code.",
        least=1,
        recorded=3,
    )
    cost: str = option(
        FLOPS.name,
        f"What to minimise: {', '.join(model.name for model in COST_MODELS)}, or weights as `mul=2,add=1,div=14`.",
        metavar="MODEL",
        recorded=1,
    )
    single_file: bool = option(False, "C: all kernels in one source file.", recorded=5)
    batch: bool = option(
        False,
        "C, Fortran: also every function for many states side by side, several at once in a vector.",
        recorded=6,
    )
    threads: bool = option(
        False, "With --batch: divide the states among the threads of OpenMP.", recorded=7
    )
    cores: int = option(
        1,
        "C: also every function divided among this number of cores, which exchange values without a lock (C11).",
        least=2,
        most=MOST_CORES,
        usual="",
        recorded=9,
    )
    operation_ns: float = option(
        0.25,
        "With --cores: time of one operation on a core (ns).",
        metavar="NS",
        measured=True,
        recorded=10,
    )
    handover_ns: float = option(
        60,
        "With --cores: time until another core has a value (ns).",
        metavar="NS",
        measured=True,
        recorded=11,
    )
    trig: str | None = option(
        None,
        "C, Fortran: how sines and cosines are computed, one by one by the library or several in one step.",
        choices=TRIG,
        usual="libm, vector with --batch",
        recorded=8,
    )
    verify: bool = option(True, "Compile and prove before writing.")
    states: int = option(DEFAULT_COUNT, "States of the proof.", least=1, most=MOST_STATES)
    seed: int = option(DEFAULT_SEED, "Seed of the random states.", least=0)


class LoadKeywords(ReadingKeywords, total=False):
    """Options that `dynagen.load` accepts, with their types; the tables have everything else about them."""

    strict: bool
    lang: str
    real: str
    trig: str | None
    optimize: str
    budget: int
    cost: str
    states: int
    seed: int


class CompileKeywords(LoadKeywords, total=False):
    """Options that `dynagen.compile` accepts, and, except for the language, `dynagen wheel`."""

    method: str | None


class GenerateKeywords(CompileKeywords, total=False):
    """Options that `dynagen.generate` accepts."""

    prefix: str | None
    verify: bool
    single_file: bool
    batch: bool
    threads: bool
    cores: int
    operation_ns: float
    handover_ns: float
