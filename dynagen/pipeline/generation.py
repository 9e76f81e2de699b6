"""Request and result of a run, and the checks that turn settings into a request.

`resolve` turns Settings, which contain names, into a Request of objects. A run returns a Generation
with all results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from dynagen.codegen.cores.tasks import Timing, find_timing
from dynagen.codegen.language import Language
from dynagen.codegen.languages import LANGUAGES, find_language
from dynagen.codegen.package import COMPACT, VECTOR, BinaryFile, Package, SourceFile
from dynagen.codegen.reserved_words import check_prefix
from dynagen.codegen.targets import find_target, list_targets_with
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.folder import FOLDER
from dynagen.codegen.targets.target import Built, Target
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.requests import find_functions, note_missing_functions, require_method
from dynagen.errors import UsageError
from dynagen.ir.cost import find_cost
from dynagen.numbers.real import FLOAT, Real, find_real
from dynagen.optimizer.compile import CompiledFunction
from dynagen.optimizer.effort import Effort
from dynagen.pipeline.settings import MOST_CORES, TARGET_OPTIONS, Settings
from dynagen.robot.description import NewtonGroup, RobotDescription
from dynagen.robot.model.model import RobotModel
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof

_SHOWN = 3  # functions in the one-line summary


@dataclass(frozen=True)
class Request:
    """Settings of a run, with objects in place of names.

    Attributes:
        settings: the user's settings, completed by the switches that the target and the language
            always set.
        target: form of the delivery.
        language: language of the code.
        functions: functions to generate, in order.
        real: type of all numbers in the code.
        effort: how long to search for fewer operations, with cost model and budget.
        timing: time of one operation, and time to pass a value from one core to another; used when
            a program is divided among several cores.
        left_out: one sentence for each function that is left out of the user's choice `all`,
            because it cannot be proved for this robot.
    """

    settings: Settings
    target: Target
    language: Language
    functions: tuple[DynamicsFunction, ...]
    real: Real
    effort: Effort
    timing: Timing
    left_out: tuple[str, ...] = ()


def resolve(settings: Settings, model: RobotModel) -> Request:
    """Return settings as a request, with objects in place of names of functions, target, language.

    Raises:
        UsageError: an unknown function, method, cost, effort, target or language, an option that
            target or language do not support, or a function that is not available for this robot.
        ToolchainError: a tool that the target requires is not installed.
    """
    target, language = check_settings(settings)
    settings = _complete(settings, target, language)
    requests = target.list_requests(settings.functions, model, vars(settings))
    functions = find_functions(requests, model)
    require_method(settings.method, functions)
    effort = make_effort(settings)
    timing = find_timing(settings.operation_ns, settings.handover_ns)
    real = find_real(settings.real)
    if real is FLOAT and any(isinstance(step, NewtonGroup) for step in model.closure):
        raise UsageError(
            f"{model.name} has loops that are solved by Newton steps, which require double "
            "precision: omit --real float, or choose `independent` joints so that two "
            "neighbouring joints of a planar loop are dependent"
        )
    return Request(settings, target, language, functions, real, effort, timing)


def make_effort(settings: Settings) -> Effort:
    """Return the search effort that settings select.

    Raises:
        UsageError: an unknown effort or cost, or an invalid budget or time limit.
    """
    cost = find_cost(settings.cost)
    return Effort(settings.optimize, cost, settings.budget, settings.time_limit)


def check_settings(settings: Settings) -> tuple[Target, Language]:
    """Check settings that do not depend on the robot; return the target and the language.

    Raises:
        UsageError: an unknown cost, effort, number type, target or language, a prefix that is not
            an identifier, or an option that target or language do not support.
        ToolchainError: a tool that the target requires is not installed.
    """
    language, target = find_language(settings.language), find_target(settings.target)
    _require_target(settings, target, language)
    settings = _complete(settings, target, language)
    if settings.single_file and language.one_file:
        raise UsageError(
            f"--single-file: {language.name} code has one layout of files only; omit the option"
        )
    if settings.batch and language.batch_path is None:
        able = ", ".join(known.name for known in LANGUAGES if known.batch_path is not None)
        raise UsageError(f"--batch: {language.name} has no batch kernels; expected --lang {able}")
    if settings.threads and not settings.batch:
        raise UsageError("--threads divides the states of --batch among threads; add --batch")
    if settings.threads and "batch" in language.always:
        raise UsageError(
            f"--threads: kernels of {language.name} always use one thread per state; omit the "
            "option"
        )
    _require_cores(settings, language)
    if settings.trig not in (None, *language.trig):
        raise UsageError(
            f"--trig {settings.trig}: {language.name} does not support this method; "
            f"{'expected ' + ' or '.join(language.trig) if language.trig else 'omit the option'}"
        )
    if settings.trig == COMPACT:
        _require_compact(settings, target)
    if settings.prefix is not None:
        check_prefix(settings.prefix)
    make_effort(settings)
    find_real(settings.real)
    find_timing(settings.operation_ns, settings.handover_ns)
    target.check(language, vars(settings))
    return target, language


def _complete(settings: Settings, target: Target, language: Language) -> Settings:
    """Return the settings with the switches that a target and a language always set."""
    switches: dict[str, Any] = dict.fromkeys((*target.always, *language.always), True)
    return replace(settings, **switches)


def _require_target(settings: Settings, target: Target, language: Language) -> None:
    """Refuse a language that the target does not support, and options of other targets."""
    if language not in target.languages:
        able = " or ".join(known.name for known in target.languages)
        raise UsageError(
            f"--target {target.name}: {language.name} is not one of its languages; "
            f"expected --lang {able}"
        )
    usual, offered = Settings(), (*target.options, *target.always)
    for name in TARGET_OPTIONS:
        if name not in offered and getattr(settings, name) != getattr(usual, name):
            able = list_targets_with(name)
            raise UsageError(
                f"--{name.replace('_', '-')} is an option of --target {able}, found --target "
                f"{target.name}; omit the option"
            )


def _require_compact(settings: Settings, target: Target) -> None:
    """Refuse options that `--trig compact` does not support."""
    others = settings.batch or settings.cores > 1 or target is not FOLDER
    if others or find_real(settings.real) is not FLOAT:
        raise UsageError(
            "--trig compact is for kernels in single precision in a folder: add --real float, and "
            "leave out --batch, --cores and --target"
        )


def _require_cores(settings: Settings, language: Language) -> None:
    """Refuse an invalid number of cores, and options that several cores do not support."""
    if not 1 <= settings.cores <= MOST_CORES:
        raise UsageError(f"--cores: expected 1 to {MOST_CORES}, found {settings.cores}")
    if settings.cores > 1 and language.cores_path is None:
        able = ", ".join(known.name for known in LANGUAGES if known.cores_path is not None)
        raise UsageError(
            f"--cores: {language.name} has no kernels for several cores; expected --lang {able}"
        )
    if settings.cores > 1 and (
        settings.trig == VECTOR or (settings.batch and settings.trig is None)
    ):
        # Cores exchange single values; a vector of sines would tie instructions of several cores.
        several = "--trig vector" if settings.trig else "--batch without --trig libm"
        raise UsageError(
            f"--cores computes sines and cosines one by one, but {several} computes several at "
            "once; add --trig libm"
        )
    usual = Settings()
    given = (settings.operation_ns, settings.handover_ns) != (usual.operation_ns, usual.handover_ns)
    if settings.cores == 1 and given:
        raise UsageError(
            "--operation-ns and --handover-ns require --cores 2 or more; "
            "add --cores, or omit the times"
        )


@dataclass(frozen=True, repr=False)
class Generation:
    """All results of a run.

    Attributes:
        description: the robot, as described.
        model: the robot in the generator's frames.
        request: settings of the run, with objects in place of names.
        functions: compiled functions, each with its program and the record of passes.
        package: everything that a language needs to emit code.
        files: generated text files. In a folder the manifest is the last one.
        proofs: mapping from the name of each kernel to its proof; empty if not verified.
        compiled: mapping from names to compiled kernels; empty if not verified, or if verified in
            several processes.
        seconds: time of each stage in s, summed over all processes.
        built: the archive of a delivery in one file, or the library in a folder; None for a folder
            of text files.
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
    built: Built | None = None

    def __repr__(self) -> str:
        """Return robot, language, operation counts and proof in one line."""
        counted = [
            f"{function.name} {function.operations.total}" for function in self.functions[:_SHOWN]
        ]
        more = f" and {len(self.functions) - _SHOWN} more" if len(self.functions) > _SHOWN else ""
        proved = "proved" if self.proofs else "not verified"
        subject = f"{self.package.robot} in {self.request.language.name}"
        return f"<Generation of {subject}: {', '.join(counted)} operations{more}, {proved}>"

    def _repr_html_(self) -> str:
        """Return the operation counts as an HTML table, for notebooks."""
        kinds = ("mul", "add", "div", "sqrt", "sincos", "neg", "other", "total")
        head = "".join(f"<th>{name}</th>" for name in ("function", *kinds))
        rows = (
            "".join(
                f"<td>{cell}</td>"
                for cell in (function.name, *(getattr(function.operations, kind) for kind in kinds))
            )
            for function in self.functions
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><caption>{escape(repr(self))}</caption><tr>{head}</tr>{body}</table>"

    @property
    def delivered(self) -> dict[str, bytes]:
        """Mapping from the path of each delivered file, in the folder or archive, to its bytes."""
        if self.archive is not None:
            return dict(self.archive.members)
        return {file.path: file.content for file in self.contents}

    @property
    def archive(self) -> Archive | None:
        """The archive of a delivery in one file; None if the delivery is a folder."""
        return self.built if isinstance(self.built, Archive) else None

    @property
    def contents(self) -> tuple[SourceFile | BinaryFile, ...]:
        """Files of a delivered folder: a built library, if any, comes first, the manifest last."""
        library = (self.built,) if isinstance(self.built, BinaryFile) else ()
        return (*library, *self.files)

    def place(self, folder: Path) -> Path:
        """Return the path of the delivery: the output folder itself, or the archive inside it."""
        return folder if self.archive is None else folder / self.archive.name

    @property
    def manifest(self) -> SourceFile:
        """JSON file that describes the delivered folder to programs."""
        return self.files[-1]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on changes, assumptions, omitted functions and zero results."""
        notes = (
            self.description.remarks
            + self.model.notes
            + note_missing_functions(self.request.settings.functions, self.model)
        )
        notes += self.request.left_out
        if any(function.name == "friction_forces" for function in self.functions) and not any(
            body.friction for body in self.model.bodies
        ):
            notes += (
                "friction_forces is always zero, because no link has `friction`: add it to the "
                "description, or identify it (dynagen identify)",
            )
        return notes
