"""Robots for Python users, and the way from a description to proved functions of arrays.

    RobotDescription, Settings -> Generation -> Ufuncs -> proof of the calls

`Robot` compiles and proves each function at its first call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from math import inf
from typing import Any

import numpy as np

from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package
from dynagen.codegen.routine import name_batch_kernel
from dynagen.codegen.ufuncs import write_help
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import UsageError, suggest_word
from dynagen.ir.program import PREPARE
from dynagen.pipeline import driver
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.proof import prove_kernels
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import Limits, RobotDescription
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.runtime.ufuncs import Call, Ufunc, UfuncNotes, UfuncSource, as_kernel, collect_source
from dynagen.stages import Progress
from dynagen.toolchain.kernel import Array
from dynagen.verification.comparison import KernelProof

_PREFIX = "robot"  # users do not see it; the robot's name could be a keyword of the language


def compile_ufuncs(description: RobotDescription, settings: Settings) -> dict[str, Ufunc]:
    """Generate functions, compile them for this machine, and prove their calls.

    Args:
        description: the robot.
        settings: what to generate, in which language.

    Returns:
        Functions of arrays by name. They are proved as users call them (`prove_calls`).

    Raises:
        DynagenError: as for `pipeline.driver.generate`.
    """
    generation = generate_for_calls(
        description, replace(settings, prefix=settings.prefix or _PREFIX)
    )
    ufuncs = make_ufuncs(generation)
    prove_calls(generation, ufuncs)
    return {name: ufunc for name, ufunc in ufuncs.items() if name != PREPARE}


def generate_for_calls(
    description: RobotDescription,
    settings: Settings,
    progress: Progress = lambda stage, done: None,
    workers: int = 1,
) -> Generation:
    """Generate the code that ufuncs are compiled from, without a proof.

    Args:
        description: the robot.
        settings: what to generate, in which language.
        progress: called when a stage begins, and during long stages.
        workers: upper limit of the number of processes.

    Returns:
        The generated code. It contains batch kernels if the language has an extension module,
        which calls them for many states.
    """
    many = find_language(settings.language).ufunc_module is not None
    return driver.generate(
        description, replace(settings, batch=many), progress, prove=False, workers=workers
    )


def make_ufuncs(generation: Generation) -> dict[str, Ufunc]:
    """Compile the kernels of a generation into functions of arrays, by name; no proof is made."""
    package = generation.package
    source = collect_source(generation.request.language.name, package, generation.files)
    return {
        name: Ufunc(source, name, notes) for name, notes in write_notes(package, source).items()
    }


def write_notes(package: Package, source: UfuncSource) -> dict[str, UfuncNotes]:
    """Write the notes on each function that `help` shows, by function name."""
    notes = {}
    for kernel in package.kernels:
        text = write_help(package, kernel, source.signatures[kernel.function])
        notes[kernel.function] = UfuncNotes(package.robot, kernel.operations, text)
    return notes


def prove_calls(generation: Generation, calls: Mapping[str, Call]) -> tuple[KernelProof, ...]:
    """Prove functions of arrays as users call them: state by state, and with all states at once.

    The two calls are proved separately because they run different code: the kernel for one state,
    and the batch kernel with the loop around it.

    Args:
        generation: the generated code that the functions were compiled from.
        calls: functions by name; with run-time parameters also `prepare`.

    Returns:
        Proofs of both calls of each function.

    Raises:
        VerificationError: a function and a reference disagree.
    """
    request, settings = generation.request, generation.request.settings
    signatures = collect_source(
        request.language.name, generation.package, generation.files
    ).signatures
    kernels = {
        name: as_kernel(call, signatures[name], request.real, one_by_one=True)
        for name, call in calls.items()
    }
    kernels |= {
        name_batch_kernel(name): as_kernel(call, signatures[name], request.real)
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
    """Robot whose functions are methods: `robot.mass_matrix(q)`.

    The methods are the functions that `dynagen functions` lists, if they are available for
    this robot. Each is compiled and proved at its first call, and is a `Ufunc` from then on.
    `function` returns functions at named frames and fused functions. A Robot can be pickled with
    its compiled functions.

    Attributes:
        description: the robot description.
        settings: language, number type, effort and proof of the functions.
    """

    def __init__(self, description: RobotDescription, settings: Settings) -> None:
        self.description = description
        self.settings = settings
        self._compiled: dict[tuple[str, str | None], Ufunc] = {}

    @property
    def name(self) -> str:
        """Name of the robot in its description."""
        return self.description.name

    @cached_property
    def _model(self) -> RobotModel:
        return build_model(self.description)

    @property
    def n(self) -> int:
        """Number of entries of velocities, accelerations and joint forces."""
        return self._model.nv

    @property
    def nq(self) -> int:
        """Number of entries of positions: n, or n + 1 with a floating base (quaternion)."""
        return sum(body.joint.nq for body in self._model.bodies)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints in the order of q; a floating base comes first."""
        return tuple(body.joint.name or body.name for body in self._model.coordinates)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames in the description, for functions such as `jacobian@camera`."""
        return tuple(frame.name for frame in self.description.frames)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are available for this robot."""
        return tuple(
            function.name
            for function in FUNCTIONS
            if not function.availability.unavailable_because(self._model)
        )

    @property
    def position_limits(self) -> Array:
        """Lower and upper limit of positions, shape (2, joints), rad or m; infinite if unknown."""
        limits = [limit.position or (-inf, inf) for limit in self._limits()]
        return np.array([[float(bound) for bound in bounds] for bounds in limits]).T

    @property
    def velocity_limits(self) -> Array:
        """Largest speed of each joint, shape (joints,), rad/s or m/s; infinite if unknown."""
        return np.array(
            [inf if limit.velocity is None else float(limit.velocity) for limit in self._limits()]
        )

    @property
    def effort_limits(self) -> Array:
        """Largest force of each joint, shape (joints,), N m or N; infinite if unknown."""
        return np.array(
            [inf if limit.effort is None else float(limit.effort) for limit in self._limits()]
        )

    def _limits(self) -> Iterable[Limits]:
        by_link = {link.name: link.limits for link in self.description.links}
        return [by_link[body.name] or Limits() for body in self._model.coordinates]

    @property
    def parameters(self) -> dict[str, float]:
        """Defaults of the run-time parameters by name, in the order of `values`."""
        return {parameter.name: float(parameter.value) for parameter in self.description.parameters}

    def values(self, **changed: float) -> Array:
        """Return run-time parameter values, shape (parameters,): the defaults with some changed.

        They are the last input of the functions of a robot with run-time parameters.

        Args:
            changed: new values by parameter name, for example payload_mass=1.5.

        Raises:
            UsageError: unknown parameter.
        """
        for name in changed:
            if name not in self.parameters:
                raise UsageError(
                    f"{self.name} has no parameter `{name}`{suggest_word(name, self.parameters)}"
                )
        return np.array([*(self.parameters | changed).values()], dtype=float)

    def function(self, request: str, method: str | None = None) -> Ufunc:
        """Return a function; it is compiled and proved at the first request.

        Args:
            request: name of a function, with `@camera` for the frame camera; several names
                with `+` between them make a fused function.
            method: algorithm of a function that has several; None: the cheapest.

        Raises:
            DynagenError: as for `dynagen.compile`.
        """
        if (request, method) not in self._compiled:
            settings = replace(self.settings, functions=(request,), method=method)
            (ufunc,) = compile_ufuncs(self.description, settings).values()
            self._compiled[request, method] = ufunc
            if method is None and request in self.functions:
                vars(self)[request] = ufunc  # an attribute: Python no longer calls __getattr__
        return self._compiled[request, method]

    def __getattr__(self, name: str) -> Any:
        """Return a function that is not compiled yet, by its name."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.functions:
            return _NotCompiled(self, name)
        known = (*self.functions, *(each for each in dir(type(self)) if not each.startswith("_")))
        raise AttributeError(
            f"{self.name} has no function or attribute `{name}`{suggest_word(name, known)}"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_model"}

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        """Return name, number of joints and compiled functions in one line."""
        done = ", ".join(request for request, _ in self._compiled) or "none"
        counts = f"{len(self.joints)} joints, {len(self.functions)} functions"
        return f"<Robot {self.name}: {counts}, compiled: {done}>"

    def _repr_html_(self) -> str:
        """Return the robot and its functions as a table, which notebooks show."""
        limits = self.position_limits.T
        joints = "".join(
            f"<tr><td>{escape(name)}</td><td>{low:.4g} to {high:.4g}</td>"
            f"<td>{velocity:.4g}</td><td>{effort:.4g}</td></tr>"
            for name, (low, high), velocity, effort in zip(
                self.joints, limits, self.velocity_limits, self.effort_limits, strict=True
            )
        )
        known = {function.name: function for function in FUNCTIONS}
        functions = "".join(
            f"<tr><td><code>{self._write_call(known[name])}</code></td>"
            f"<td>{escape(known[name].formula)}</td></tr>"
            for name in self.functions
        )
        return (
            f"<p><b>{escape(self.name)}</b>: {len(self.joints)} joints. "
            f"{escape(self.description.source)}</p>"
            "<table><tr><th>joint</th><th>positions (rad, m)</th><th>velocity</th><th>effort</th>"
            f"</tr>{joints}</table><details><summary>{len(self.functions)} functions</summary>"
            f"<table><tr><th>call</th><th>computes</th></tr>{functions}</table></details>"
        )

    def _write_call(self, function: DynamicsFunction) -> str:
        """Return the call of a function with the names of its inputs."""
        return f"{function.name}({', '.join(each.name for each in function.inputs(self._model))})"


class _NotCompiled:
    """Function that is compiled at its first call.

    Editors and shells that complete names read all attributes of a robot. That must not compile
    all functions.
    """

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot = robot
        self.__name__ = name
        (self.__doc__,) = (
            f"{function.formula}; compiled and proved at the first call"
            for function in FUNCTIONS
            if function.name == name
        )

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._robot.function(self.__name__)(*arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._robot.function(self.__name__), name)

    def __repr__(self) -> str:
        # `help` shortens a longer text in its middle.
        return f"<{self.__name__} of {self._robot.name}, not compiled yet>"
