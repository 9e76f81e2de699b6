"""Robot: a description with its functions, each compiled and proved at its first call.

Robot description and settings -> proved Ufuncs.

Robot: a description with its functions, each of which is compiled and proved when it is first called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from dynagen.codegen import documentation
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package
from dynagen.codegen.routine import batch_name
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError, did_you_mean
from dynagen.ir.program import PREPARE
from dynagen.pipeline import driver
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.proof import prove_kernels
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import Limits, RobotDescription
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.runtime.ufuncs import Call, Notes, Ufunc, UfuncSource, kernel_of, source_of
from dynagen.stages import Progress
from dynagen.toolchain.kernel import Array
from dynagen.verification.comparison import KernelProof

_PREFIX = "robot"  # nobody sees it, and a robot may be called by a word of some language


def compile_ufuncs(description: RobotDescription, settings: Settings) -> dict[str, Ufunc]:
    """Generate functions, compile them for this machine, and prove what is returned: called with all states, and with each.

    Args:
        description: the robot.
        settings: what to generate, in which language.

    Returns:
        Ufuncs by name of the function.

    Raises:
        DynagenError: as `pipeline.generate`.
    """
    generation = generate_for_calls(
        description, replace(settings, prefix=settings.prefix or _PREFIX)
    )
    ufuncs = ufuncs_of(generation)
    prove_calls(generation, ufuncs)
    return {name: ufunc for name, ufunc in ufuncs.items() if name != PREPARE}


def generate_for_calls(
    description: RobotDescription,
    settings: Settings,
    progress: Progress = lambda stage, done: None,
    workers: int = 1,
) -> Generation:
    """Generate what ufuncs are compiled from, with kernels over lanes where an extension calls such; without a proof."""
    many = find_language(settings.language).extension is not None
    return driver.generate(
        description, replace(settings, batch=many), progress, prove=False, workers=workers
    )


def ufuncs_of(generation: Generation) -> dict[str, Ufunc]:
    """The kernels of a generation as functions of arrays, by name; not proved."""
    package = generation.package
    source = source_of(generation.request.language.name, package, generation.files)
    return {name: Ufunc(source, name, notes) for name, notes in notes_of(package, source).items()}


def notes_of(package: Package, source: UfuncSource) -> dict[str, Notes]:
    """The notes on every function that help shows."""
    notes = {}
    for kernel in package.kernels:
        arguments = documentation.argument_lines(source.signatures[kernel.function])
        text = "\n".join([documentation.explained(package, kernel, ""), "", *arguments])
        notes[kernel.function] = Notes(package.robot, kernel.operations, text)
    return notes


def prove_calls(generation: Generation, calls: Mapping[str, Call]) -> tuple[KernelProof, ...]:
    """Prove functions as they are called: with each state of the proof, and with all of them at once.

    Args:
        generation: that they were compiled from.
        calls: by name, and the one that prepares run-time parameters if there are any.

    Raises:
        VerificationError: a function and a reference disagree.
    """
    request, settings = generation.request, generation.request.settings
    signatures = source_of(request.language.name, generation.package, generation.files).signatures
    kernels = {
        name: kernel_of(call, signatures[name], request.real, one_by_one=True)
        for name, call in calls.items()
    }
    kernels |= {
        batch_name(name): kernel_of(call, signatures[name], request.real)
        for name, call in calls.items()
    }
    return prove_kernels(
        generation.description,
        request.functions,
        kernels,
        request.real,
        settings.states,
        settings.seed,
    )


class Robot:
    """A robot whose functions are methods: `robot.mass_matrix(q)`.

    Every function of `dynagen functions` that is available for the robot is there under its name, a `Ufunc` once it has been
    called; `function` gives those for named frames, and joined ones. A Robot can be pickled, with what it has compiled.

    Attributes:
        description: the robot as it was read.
        settings: language, type, effort and proof of the functions.
    """

    def __init__(self, description: RobotDescription, settings: Settings) -> None:
        self.description = description
        self.settings = settings
        self._compiled: dict[tuple[str, str | None], Ufunc] = {}

    @property
    def name(self) -> str:
        """The name that the description has for it."""
        return self.description.name

    @cached_property
    def _model(self) -> RobotModel:
        return build_model(self.description)

    @property
    def n(self) -> int:
        """How many entries velocities, accelerations and forces have."""
        return self._model.nv

    @property
    def nq(self) -> int:
        """How many entries positions have: as many, or one more on a floating base, whose orientation is a quaternion."""
        return sum(body.joint.nq for body in self._model.bodies)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of q; a floating base is the first of them."""
        return tuple(body.joint.name or body.name for body in self._model.coordinates)

    @property
    def frames(self) -> tuple[str, ...]:
        """Named frames, for functions as `jacobian@camera`."""
        return tuple(frame.name for frame in self.description.frames)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are available for this robot."""
        return tuple(
            each.name
            for each in FUNCTIONS
            if not each.availability.unavailable_because(self._model)
        )

    @property
    def position_limits(self) -> Array:
        """Least and largest position of every joint, shape (2, joints), rad or m; infinite where the description has none."""
        limits = [each.position or (-inf, inf) for each in self._limits()]
        return np.array([[float(bound) for bound in each] for each in limits]).T

    @property
    def velocity_limits(self) -> Array:
        """Largest speed of every joint, shape (joints,), rad/s or m/s; infinite where the description has none."""
        return np.array(
            [inf if each.velocity is None else float(each.velocity) for each in self._limits()]
        )

    @property
    def effort_limits(self) -> Array:
        """Largest force of every joint, shape (joints,), N m or N; infinite where the description has none."""
        return np.array(
            [inf if each.effort is None else float(each.effort) for each in self._limits()]
        )

    def _limits(self) -> Iterable[Limits]:
        by_link = {link.name: link.limits for link in self.description.links}
        return [by_link[body.name] or Limits() for body in self._model.coordinates]

    @property
    def parameters(self) -> dict[str, float]:
        """Defaults of the run-time parameters by name, in the order of `values`."""
        return {parameter.name: float(parameter.value) for parameter in self.description.parameters}

    def values(self, **changed: float) -> Array:
        """The last input of functions of a robot with run-time parameters: the defaults but for what is changed.

        Raises:
            UsageError: there is no such parameter.
        """
        for name in changed:
            if name not in self.parameters:
                raise UsageError(
                    f"{self.name} has no parameter `{name}`{did_you_mean(name, self.parameters)}"
                )
        return np.array([*(self.parameters | changed).values()], dtype=float)

    def function(self, request: str, method: str | None = None) -> Ufunc:
        """A function, compiled and proved unless it has been before.

        Args:
            request: a name, `jacobian@camera` for a named frame, or several joined by `+`.
            method: of a function that offers a choice; None takes the cheapest.

        Raises:
            DynagenError: as `dynagen.compile`.
        """
        if (request, method) not in self._compiled:
            settings = replace(self.settings, functions=(request,), method=method)
            (ufunc,) = compile_ufuncs(self.description, settings).values()
            self._compiled[request, method] = ufunc
            if method is None and request in self.functions:
                vars(self)[request] = ufunc  # where Python finds it by itself from now on
        return self._compiled[request, method]

    def __getattr__(self, name: str) -> Any:
        """A function by its name, which Python does not find among the attributes."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.functions:
            return _NotCompiled(self, name)
        known = (*self.functions, *(each for each in dir(type(self)) if not each.startswith("_")))
        raise AttributeError(
            f"{self.name} has no function or attribute `{name}`{did_you_mean(name, known)}"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_model"}

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        """One line."""
        done = ", ".join(request for request, _ in self._compiled) or "none"
        return f"<Robot {self.name}: {len(self.joints)} joints, {len(self.functions)} functions, compiled: {done}>"


class _NotCompiled:
    """A function that is compiled when it is called: what completes names looks at all of them."""

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot = robot
        self.__name__ = name
        (self.__doc__,) = (
            f"{each.formula}; compiled and proved at the first call"
            for each in FUNCTIONS
            if each.name == name
        )

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._robot.function(self.__name__)(*arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._robot.function(self.__name__), name)

    def __repr__(self) -> str:
        return f"<{self.__name__} of {self._robot.name}, not compiled yet>"  # `help` cuts a longer one in its middle
