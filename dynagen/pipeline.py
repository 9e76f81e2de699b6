"""The pipeline: the only place that knows the order of the stages.

    description -> model -> program -> passes -> source -> compiled kernel -> verification

| stage | folder | from | to |
| --- | --- | --- | --- |
| description | robot | YAML | RobotDescription |
| model | robot | RobotDescription | RobotModel |
| program | dynamics | RobotModel | Program, one for every function |
| passes | passes | Program | Program, PassRecords |
| source | backends | Package of Programs | SourceFiles |
| compiled kernel | toolchain | SourceFiles | CompiledKernel |
| verification | verification | CompiledKernel, RobotDescription | KernelProof |

Every result is kept in the Generation that `generate` returns; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import PurePath
from time import perf_counter

from dynagen.backends import find_backend
from dynagen.backends.naming import c_identifier
from dynagen.backends.package import Backend, Joint, Kernel, Package, Proof, SourceFile
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError
from dynagen.ir.count import OperationCount, count
from dynagen.ir.program import Program
from dynagen.passes.manager import PassRecord, run_passes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model import RobotModel, build_model
from dynagen.toolchain import CompiledKernel, compile_kernels
from dynagen.verification.comparison import DOUBLE_TOLERANCE, KernelProof, VerificationReport, check_kernel
from dynagen.verification.reference import references
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED, sample_states
from dynagen.version import __version__

DEFAULT_FUNCTIONS = ("inverse_dynamics",)


@dataclass(frozen=True)
class Settings:
    """What to generate.

    Attributes:
        language: name or alias of a back end.
        functions: names of functions, or `all`; duplicates count once.
        prefix: C identifier that public names start with; None takes the robot's name.
        verify: whether to compile and prove before anything is returned.
        states, seed: of the proof.
    """

    language: str = "c"
    functions: tuple[str, ...] = DEFAULT_FUNCTIONS
    prefix: str | None = None
    verify: bool = True
    states: int = DEFAULT_COUNT
    seed: int = DEFAULT_SEED


@dataclass(frozen=True)
class GeneratedFunction:
    """One function on its way: as recorded, as emitted, and its proof (None if not verified)."""

    definition: DynamicsFunction
    recorded: Program
    program: Program
    passes: tuple[PassRecord, ...]
    proof: KernelProof | None = None

    @property
    def name(self) -> str:
        """Of the function."""
        return self.definition.name

    @property
    def operations(self) -> OperationCount:
        """Of one call of the emitted code."""
        return count(self.program)


@dataclass(frozen=True)
class Generation:
    """Every result of a run.

    Attributes:
        files: what to write, the manifest last.
        compiled: kernels by function name; empty if not verified.
        seconds: wall time of every stage.
    """

    description: RobotDescription
    model: RobotModel
    settings: Settings
    backend: Backend
    functions: tuple[GeneratedFunction, ...]
    package: Package
    files: tuple[SourceFile, ...]
    compiled: dict[str, CompiledKernel] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def manifest(self) -> SourceFile:
        """The machine-readable contract of what was generated."""
        return self.files[-1]

    @property
    def notes(self) -> tuple[str, ...]:
        """What loading and modelling changed or assumed, for the user."""
        return self.description.notes + self.model.notes


Progress = Callable[[str], None]


def generate(
    description: RobotDescription, settings: Settings, progress: Progress = lambda stage: None, prove: bool = True
) -> Generation:
    """Generate code for a robot, compile it and prove it.

    Args:
        description: the robot.
        settings: what to generate.
        progress: is called with a short text when a stage begins.
        prove: False leaves out compiling and proving, though the files may say otherwise: for comparison with files on disk,
            never for writing.

    Raises:
        UsageError: an unknown function or language, or a prefix that is no identifier.
        ToolchainError: no compiler, or it refuses the code.
        VerificationError: the compiled code and a reference disagree.
    """
    seconds: dict[str, float] = {}

    @contextmanager
    def stage(name: str, detail: str = "") -> Iterator[None]:
        progress(f"{name} {detail}".rstrip())
        start = perf_counter()
        yield
        seconds[name] = seconds.get(name, 0.0) + perf_counter() - start

    backend = find_backend(settings.language)
    definitions = find_functions(settings.functions)
    with stage("model"):
        model = build_model(description)
    functions = []
    for definition in definitions:
        with stage("program", definition.name):
            recorded = definition.build(model)
        with stage("passes", definition.name):
            program, records = run_passes(recorded)
        functions.append(GeneratedFunction(definition, recorded, program, records))
    with stage("source"):
        package = _package(description, model, settings, tuple(functions))
        files = backend.render(package)
    generation = Generation(description, model, settings, backend, tuple(functions), package, files, {}, seconds)
    if not (settings.verify and prove):
        return generation
    with stage("compiled kernel"):
        symbols = {backend.symbol(package, kernel): kernel.program for kernel in package.kernels}
        compiled = compile_kernels(backend.name, {file.path: file.text for file in files}, symbols)
    with stage("verification"):
        proved = _prove(generation, compiled)
    return replace(generation, functions=proved, compiled=compiled)


def find_functions(names: tuple[str, ...]) -> tuple[DynamicsFunction, ...]:
    """Functions by name, in the order of the table.

    Raises:
        UsageError: there is no such function; names the nearest.
    """
    known = {function.name: function for function in FUNCTIONS}
    for name in names:
        if name != "all" and name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else "."
            raise UsageError(f"unknown function {name!r}{hint} Expected one of {', '.join(known)}, or all")
    return tuple(function for function in FUNCTIONS if "all" in names or function.name in names)


def _package(
    description: RobotDescription, model: RobotModel, settings: Settings, functions: tuple[GeneratedFunction, ...]
) -> Package:
    names = tuple(reference.name for reference in references(description))
    legend = dict(entry for function in functions for entry in function.definition.complete_legend)
    return Package(
        robot=description.name,
        prefix=c_identifier(settings.prefix or description.name),
        source=description.source,
        gravity="({})".format(", ".join(f"{float(component):g}" for component in description.gravity)),
        joints=tuple(Joint(body.name, body.joint) for body in model.bodies),
        input_name=PurePath(description.path).name,
        input_sha256=description.sha256,
        version=__version__,
        kernels=tuple(Kernel(function.definition.formula, function.program, function.operations) for function in functions),
        proof=Proof(settings.states, settings.seed, DOUBLE_TOLERANCE, names) if settings.verify else None,
        legend=tuple(legend.items()),
    )


def _prove(generation: Generation, compiled: dict[str, CompiledKernel]) -> tuple[GeneratedFunction, ...]:
    """Compare every kernel with every reference on the same states; return only what agrees."""
    description, settings = generation.description, generation.settings
    independent = references(description)
    proved = []
    for function in generation.functions:
        inputs = tuple(argument.name for argument in function.program.inputs)
        outputs = tuple(output.argument.name for output in function.program.outputs)
        proof = check_kernel(
            function.name,
            compiled[function.name],
            inputs,
            outputs,
            function.definition.expected,
            independent,
            sample_states(description, inputs, settings.states, settings.seed),
            magnitudes=function.definition.magnitudes,
        )
        proved.append(replace(function, proof=proof))
    VerificationReport(description.name, tuple(function.proof for function in proved if function.proof)).require()
    return tuple(proved)
