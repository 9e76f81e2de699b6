"""Request and result of a run: data that the pipeline fills and reports read."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from dynagen.codegen.cores.tasks import Timing, find_timing
from dynagen.codegen.language import Language
from dynagen.codegen.languages import LANGUAGES, checked_prefix, find_language
from dynagen.codegen.package import TRIG, VECTOR, Package, SourceFile
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.requests import find_functions, left_out, require_method
from dynagen.errors import UsageError
from dynagen.ir.cost import find_cost
from dynagen.numbers.real import Real, find_real
from dynagen.optimizer.compile import CompiledFunction
from dynagen.optimizer.effort import Effort
from dynagen.pipeline.settings import MOST_CORES, Settings
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof

_SHOWN = 3  # functions in a line


@dataclass(frozen=True)
class Request:
    """Settings whose names have become what they stand for.

    Attributes:
        settings: all of them; numbers and switches are read from here.
        timing: of several cores.
        left_out: for every function of `all` that no proof can decide, its name and why.
    """

    settings: Settings
    language: Language
    functions: tuple[DynamicsFunction, ...]
    real: Real
    effort: Effort
    timing: Timing
    left_out: tuple[str, ...] = ()


def resolve(settings: Settings, model: RobotModel) -> Request:
    """Find what settings name.

    Args:
        settings: as the user has them.
        model: the robot that they are for.

    Raises:
        UsageError: an unknown function, method, cost, effort or language, an option that the language has no use for, or a
            function that is not available for this robot.
    """
    language = refuse_unusable(settings)
    functions = find_functions(settings.functions, model)
    require_method(settings.method, functions)
    effort = Effort(settings.optimize, find_cost(settings.cost), settings.budget)
    timing = find_timing(settings.operation_ns, settings.handover_ns)
    return Request(settings, language, functions, find_real(settings.real), effort, timing)


def refuse_unusable(settings: Settings) -> Language:
    """Refuse settings that fit no robot, which nobody has to read for that; else their language.

    Raises:
        UsageError: an unknown cost, effort, number type or language, a prefix that is no identifier, or an option that the
            language has no use for.
    """
    language = find_language(settings.language)
    if settings.single_file and language.one_file:
        raise UsageError(
            f"--single-file: {language.name} has all kernels in one file anyway; leave it out"
        )
    if settings.batch and language.batch_path is None:
        able = ", ".join(each.name for each in LANGUAGES if each.batch_path is not None)
        raise UsageError(
            f"--batch: {language.name} has no kernels over many states side by side; expected --lang {able}"
        )
    if settings.threads and not settings.batch:
        raise UsageError(
            "--threads divides the states of --batch among threads; ask for --batch as well"
        )
    _require_cores(settings, language)
    offered = TRIG if settings.batch else language.trig
    if settings.trig not in (None, *offered):
        raise UsageError(
            f"--trig {settings.trig}: {language.name} computes sines and cosines by {' or '.join(offered)}"
        )
    if settings.prefix is not None:
        checked_prefix(settings.prefix)
    Effort(settings.optimize, find_cost(settings.cost), settings.budget)
    find_real(settings.real)
    find_timing(settings.operation_ns, settings.handover_ns)
    return language


def _require_cores(settings: Settings, language: Language) -> None:
    if not 1 <= settings.cores <= MOST_CORES:
        raise UsageError(f"--cores has to be 1 to {MOST_CORES}, found {settings.cores}")
    if settings.cores > 1 and language.cores_path is None:
        able = ", ".join(each.name for each in LANGUAGES if each.cores_path is not None)
        raise UsageError(
            f"--cores: {language.name} has no kernels for several cores; expected --lang {able}"
        )
    if settings.cores > 1 and (
        settings.trig == VECTOR or (settings.batch and settings.trig is None)
    ):
        several = "--trig vector" if settings.trig else "--batch, without --trig libm,"
        raise UsageError(
            f"--cores takes sines and cosines one by one, and {several} several at once: say --trig libm"
        )
    usual = Settings()
    given = (settings.operation_ns, settings.handover_ns) != (usual.operation_ns, usual.handover_ns)
    if settings.cores == 1 and given:
        raise UsageError(
            "--operation-ns and --handover-ns are for --cores 2 or more; ask for them, or leave the times out"
        )


@dataclass(frozen=True, repr=False)
class Generation:
    """Every result of a run.

    Attributes:
        files: what to write, the manifest last.
        proofs: by function name; empty if not verified.
        compiled: kernels by function name; empty if not verified, or verified in other processes.
        seconds: time of every stage, of all processes together.
    """

    description: RobotDescription
    model: RobotModel
    request: Request
    functions: tuple[CompiledFunction, ...]
    package: Package
    files: tuple[SourceFile, ...]
    proofs: dict[str, KernelProof] = field(default_factory=dict)
    compiled: dict[str, CompiledKernel] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """One line."""
        counted = [f"{each.name} {each.operations.total}" for each in self.functions[:_SHOWN]]
        more = f" and {len(self.functions) - _SHOWN} more" if len(self.functions) > _SHOWN else ""
        proved = "proved" if self.proofs else "not verified"
        of = f"{self.package.robot} in {self.request.language.name}"
        return f"<Generation of {of}: {', '.join(counted)} operations{more}, {proved}>"

    def _repr_html_(self) -> str:
        """The table of counts, for notebooks."""
        kinds = ("mul", "add", "div", "sqrt", "sincos", "neg", "other", "total")
        head = "".join(f"<th>{name}</th>" for name in ("function", *kinds))
        rows = (
            "".join(
                f"<td>{cell}</td>"
                for cell in (each.name, *(getattr(each.operations, kind) for kind in kinds))
            )
            for each in self.functions
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><caption>{escape(repr(self))}</caption><tr>{head}</tr>{body}</table>"

    @property
    def manifest(self) -> SourceFile:
        """The machine-readable contract of what was generated."""
        return self.files[-1]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: what loading and modelling changed or assumed, and what is left out or always zero."""
        notes = (
            self.description.remarks
            + self.model.notes
            + left_out(self.request.settings.functions, self.model)
        )
        notes += self.request.left_out
        if any(each.name == "friction_forces" for each in self.functions) and not any(
            b.friction for b in self.model.bodies
        ):
            notes += ("friction_forces is always zero: no link of the description has `friction`",)
        return notes
