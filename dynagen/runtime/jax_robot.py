"""JAX functions of a robot, generated, compiled and proved at their first use.

RobotDescription, Settings -> Generation with a package -> functions of JAX arrays
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, update_wrapper
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.jax import BACKENDS, FFI, JAX
from dynagen.errors import UsageError, suggest_word
from dynagen.pipeline import driver
from dynagen.pipeline.settings import JaxKeywords, Settings
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.runtime.api import AnyRobot, add_options, as_description, read_options
from dynagen.runtime.robot import Robot
from dynagen.toolchain.cache import cache_file

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PREFIX = "robot"  # users do not see it; the robot's name could be a keyword of the language


class JaxRobot:
    """Robot whose attributes are functions of JAX arrays: `panda.forward_dynamics(q, qd, tau)`.

    Each is generated, compiled for this machine and proved at its first use. `function` returns
    functions at named frames and fused functions.

    Attributes:
        description: the robot description.
        settings: effort and proof of the functions.
        backend: "ffi" for compiled kernels on the CPU, "xla" for programs in jax.numpy.
    """

    def __init__(self, description: RobotDescription, settings: Settings, backend: str) -> None:
        self.description = description
        self.settings = settings
        self.backend = backend
        self._robot = Robot(lambda: (description, settings))
        self._loaded: dict[str, Callable[..., Any]] = {}

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are available for this robot."""
        return self._robot.functions

    def function(self, request: str) -> Callable[..., Any]:
        """Return a function of JAX arrays; it is compiled and proved at the first request.

        Args:
            request: name of a function, with `@camera` for the frame camera; several names with `+`
                between them make a fused function.

        Raises:
            DynagenError: as for `dynagen.generate`.
        """
        if request not in self._loaded:
            settings = replace(self.settings, functions=(request,))
            generation = driver.generate(self.description, settings)
            archive = generation.built
            assert isinstance(archive, Archive)  # the target always builds one
            (first, *_) = generation.functions
            function = getattr(_import_package(archive), first.name)
            bound = partial(function, backend=self.backend)
            self._loaded[request] = update_wrapper(bound, function)
        return self._loaded[request]

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
        done = ", ".join(self._loaded) or "none"
        counts = f"{len(self.functions)} JAX functions"
        return f"<JaxRobot {self.description.name}: {counts}, compiled: {done}>"


def _import_package(archive: Archive) -> ModuleType:
    """Import the package of an archive from the cache, under a name that its content determines."""
    digest = sha256(archive.content).hexdigest()
    folder = cache_file([digest], ".jax", partial(_unpack, archive))
    (package,) = {Path(path).parts[0] for path in archive.members if path.endswith("__init__.py")}
    name = f"dynagen_jax_{digest[:32]}"
    if name not in sys.modules:
        path = folder / package
        spec = spec_from_file_location(
            name, path / "__init__.py", submodule_search_locations=[str(path)]
        )
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def _unpack(archive: Archive, folder: Path) -> None:
    for path, content in archive.members.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


@add_options(JaxKeywords)
def load(robot: AnyRobot, *, backend: str = FFI, **options: Unpack[JaxKeywords]) -> JaxRobot:
    """Load a robot whose functions accept and return JAX arrays, with derivatives.

        panda = dynagen.jax.load("panda")
        qdd = panda.forward_dynamics(q, qd, tau)
        jax.grad(lambda q: panda.inverse_dynamics(q, qd, qdd)[0])(q)

    Each function is compiled and proved at its first use.

    Args:
        robot: a robot, a description, or any argument of `load_robot`.
        backend: "ffi" calls compiled kernels on the CPU. "xla" computes by programs in jax.numpy:
            on any device, with derivatives of any order, and slower.
        options: options of the run, and of `load_robot`: {options}

    Returns:
        The robot; its attributes are functions of JAX arrays.

    Raises:
        UsageError: the file or bundled robot does not exist, the file cannot be read, or the back
            end is unknown.
        RobotDescriptionError: the description is invalid; lists all of its faults.
        ToolchainError: JAX is not installed.
    """
    require_extra("jax", "jax", "for functions of JAX arrays")
    if backend not in BACKENDS:
        raise UsageError(f"backend: expected {' or '.join(BACKENDS)}, found `{backend}`")
    settings, reading = read_options(
        JaxKeywords, options, target=JAX.name, native=True, prefix=_PREFIX
    )
    return JaxRobot(as_description(robot, reading), settings, backend)
