"""CasADi functions of a robot, generated, compiled and proved at their first use.

RobotDescription, Settings -> Generation with a library -> casadi.Function
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagen.codegen.package import BinaryFile
from dynagen.codegen.targets.casadi import CASADI
from dynagen.codegen.targets.casadi_functions import DISCRETE_STEP
from dynagen.errors import suggest_word
from dynagen.pipeline import driver
from dynagen.pipeline.settings import LibraryKeywords, Settings
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.runtime.api import AnyRobot, add_options, as_description, read_options
from dynagen.runtime.robot import Robot
from dynagen.toolchain.cache import cache_file

if TYPE_CHECKING:
    from casadi import Function
    from typing_extensions import Unpack

_PREFIX = "robot"  # users do not see it; the robot's name could be a keyword of the language


class CasadiRobot:
    """Robot whose attributes are CasADi functions: `panda.forward_dynamics`.

    Each is generated, compiled for this machine and proved at its first use. `function` returns
    functions at named frames and fused functions. `discrete_step(x, u, dt)` is one step of
    semi-implicit Euler, with x = [q; qd] and u = tau.

    Attributes:
        description: the robot description.
        settings: effort and proof of the functions.
    """

    def __init__(self, description: RobotDescription, settings: Settings) -> None:
        self.description = description
        self.settings = settings
        self._robot = Robot(lambda: (description, settings))
        self._compiled: dict[str, Function] = {}

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are available for this robot."""
        return (*self._robot.functions, DISCRETE_STEP)

    def function(self, request: str) -> Function:
        """Return a CasADi function; it is compiled and proved at the first request.

        Args:
            request: name of a function, with `@camera` for the frame camera; several names with `+`
                between them make a fused function.

        Raises:
            DynagenError: as for `dynagen.generate`.
        """
        if request not in self._compiled:
            import casadi

            settings = replace(self.settings, functions=(request,))
            generation = driver.generate(self.description, settings)
            library = generation.built
            assert isinstance(library, BinaryFile)  # the target always builds one
            # The file stays in the cache: CasADi stores its path when a function is saved.
            path = cache_file(
                [sha256(library.content).hexdigest()],
                Path(library.path).suffix,
                partial(_write, library.content),
            )
            (first, *_) = generation.functions
            symbol = DISCRETE_STEP if request == DISCRETE_STEP else first.name
            self._compiled[request] = casadi.external(symbol, str(path))
        return self._compiled[request]

    def __getattr__(self, name: str) -> Any:
        """Return a function by its name."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.functions:
            return self.function(name)
        raise AttributeError(
            f"{self.description.name} has no function `{name}`{suggest_word(name, self.functions)}"
        )

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        """Return name and compiled functions in one line."""
        done = ", ".join(self._compiled) or "none"
        counts = f"{len(self.functions)} CasADi functions"
        return f"<CasadiRobot {self.description.name}: {counts}, compiled: {done}>"


def _write(content: bytes, path: Path) -> None:
    path.write_bytes(content)


@add_options(LibraryKeywords)
def load(robot: AnyRobot, **options: Unpack[LibraryKeywords]) -> CasadiRobot:
    """Load a robot whose functions are CasADi functions, with exact sparse Jacobians.

        panda = dynagen.casadi.load("panda")
        qdd = panda.forward_dynamics(q, qd, tau)  # numbers, or symbols of type MX

    Each function is compiled and proved at its first use.

    Args:
        robot: a robot, a description, or any argument of `load_robot`.
        options: options of the run, and of `load_robot`: {options}

    Returns:
        The robot; its attributes are CasADi functions.

    Raises:
        UsageError: the file or bundled robot does not exist, or the file cannot be read.
        RobotDescriptionError: the description is invalid; lists all of its faults.
        ToolchainError: CasADi is not installed.
    """
    require_extra("casadi", "casadi", "for CasADi functions")
    settings, reading = read_options(
        LibraryKeywords, options, target=CASADI.name, native=True, prefix=_PREFIX
    )
    return CasadiRobot(as_description(robot, reading), settings)
