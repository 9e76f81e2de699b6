"""What a run is asked for, and what comes of it: data that the pipeline fills and reports read."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from dynagen.description.description import RobotDescription
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.requests import left_out
from dynagen.ir.cost import FLOPS
from dynagen.ir.count import OperationCount, count
from dynagen.ir.program import Program
from dynagen.languages.language import Language
from dynagen.languages.package import Package, SourceFile
from dynagen.model.model import RobotModel
from dynagen.optimize.choice import OPTIMIZE
from dynagen.optimize.formulation_search import DEFAULT_BUDGET
from dynagen.passes.manager import PassRecord
from dynagen.real import DOUBLE
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED

_SHOWN = 3  # functions in a line
DEFAULT_FUNCTIONS = ("inverse_dynamics",)


@dataclass(frozen=True)
class Settings:
    """What to generate.

    Attributes:
        language: name or alias of a back end.
        functions: requests, as `dynamics.requests` reads them; duplicates count once.
        prefix: C identifier that public names start with; None takes the robot's name.
        verify: whether to compile and prove before anything is returned.
        states, seed: of the proof.
        real: type of all numbers in the kernels, double or float.
        single_file: whether C comes as one header and one source file.
        optimize: how hard to look for a formulation that costs little: none takes the described one, default tries a
            handful, max searches (seconds to minutes).
        method: of the functions that can be computed by it; None takes the cheapest for each.
        cost: what is cheap: a cost model as `ir.cost.find_cost` reads it.
        budget: most programs that a search looks at, for one function and method.
    """

    language: str = "c"
    functions: tuple[str, ...] = DEFAULT_FUNCTIONS
    prefix: str | None = None
    verify: bool = True
    states: int = DEFAULT_COUNT
    seed: int = DEFAULT_SEED
    real: str = DOUBLE.name
    single_file: bool = False
    method: str | None = None
    optimize: str = OPTIMIZE[1]
    cost: str = FLOPS.name
    budget: int = DEFAULT_BUDGET


@dataclass(frozen=True)
class GeneratedFunction:
    """One function on its way: as recorded, as emitted, and its proof (None if not verified).

    Attributes:
        recorded: under the chosen formulation.
        method: the one of the function's methods that was taken.
        considered: every method with the operations it needs; unless one was asked for the cheapest is taken, of equals the
            first.
        formulation: how the robot's own data were rearranged to save operations, in sentences.
    """

    definition: DynamicsFunction
    recorded: Program
    program: Program
    passes: tuple[PassRecord, ...]
    method: str = ""
    considered: tuple[tuple[str, OperationCount], ...] = ()
    formulation: tuple[str, ...] = ()
    proof: KernelProof | None = None

    @property
    def name(self) -> str:
        """Of the function."""
        return self.definition.name

    @property
    def operations(self) -> OperationCount:
        """Of one call of the emitted code."""
        return count(self.program)


@dataclass(frozen=True, repr=False)
class Generation:
    """Every result of a run.

    Attributes:
        files: what to write, the manifest last.
        compiled: kernels by function name; empty if not verified, or verified in other processes.
        seconds: time of every stage, of all processes together.
    """

    description: RobotDescription
    model: RobotModel
    settings: Settings
    language: Language
    functions: tuple[GeneratedFunction, ...]
    package: Package
    files: tuple[SourceFile, ...]
    compiled: dict[str, CompiledKernel] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """One line."""
        counted = [f"{each.name} {each.operations.total}" for each in self.functions[:_SHOWN]]
        more = f" and {len(self.functions) - _SHOWN} more" if len(self.functions) > _SHOWN else ""
        proved = "proved" if all(each.proof for each in self.functions) else "not verified"
        return f"<Generation of {self.package.robot} in {self.language.name}: {', '.join(counted)} operations{more}, {proved}>"

    def _repr_html_(self) -> str:
        """The table of counts, for notebooks."""
        kinds = ("mul", "add", "div", "sqrt", "sincos", "neg", "other", "total")
        head = "".join(f"<th>{name}</th>" for name in ("function", *kinds))
        rows = (
            "".join(f"<td>{cell}</td>" for cell in (each.name, *(getattr(each.operations, kind) for kind in kinds)))
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
        """What loading and modelling changed or assumed, for the user."""
        return self.description.notes + self.model.notes + left_out(self.settings.functions, self.model)
