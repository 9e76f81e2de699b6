"""Robot for Python users, whose functions are compiled and proved at their first call.

The generator is imported only if necessary, so that a process starts fast if its functions are in
the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from html import escape
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagen.errors import UsageError, suggest_word
from dynagen.memory import collect_garbage_rarely
from dynagen.numbers.arrays import Array
from dynagen.runtime.entries import copy_entry, find_functions, make_key
from dynagen.runtime.ufunc import Ufunc

if TYPE_CHECKING:
    from dynagen.dynamics.function import DynamicsFunction
    from dynagen.pipeline.settings import Settings
    from dynagen.robot.description import Limits, RobotDescription
    from dynagen.robot.model.model import RobotModel


class Robot:
    """Robot whose functions are methods, such as `robot.mass_matrix(q)`.

    The methods are the functions that `dynagen functions` lists, if they are available for this
    robot. A method is compiled and proved at its first call, and is then a `Ufunc`. The method
    `function` returns functions of named frames, and fused functions. A Robot can be pickled with
    its compiled functions.
    """

    def __init__(
        self, read: Callable[[], tuple[RobotDescription, Settings]], key: str = ""
    ) -> None:
        """Make a robot whose description is read when it is first needed.

        Args:
            read: function that returns the description, and the options of the runs that generate
                functions.
            key: text that identifies description and options in the cache; empty: the cache is not
                searched.
        """
        self._read, self._key = read, key
        self._compiled: dict[tuple[str, str | None], Ufunc] = {}

    @cached_property
    def _source(self) -> tuple[RobotDescription, Settings]:
        return self._read()

    @property
    def description(self) -> RobotDescription:
        """The robot description, which is read at the first use."""
        return self._source[0]

    @property
    def settings(self) -> Settings:
        """Options of the runs that generate functions, such as language, number type and effort."""
        return self._source[1]

    @property
    def name(self) -> str:
        """Name of the robot in its description."""
        return self.description.name

    @cached_property
    def _model(self) -> RobotModel:
        from dynagen.robot.model.model import build_model

        return build_model(self.description)

    @property
    def n(self) -> int:
        """Number of entries of the velocity, acceleration and joint-force vectors."""
        return self._model.nv

    @property
    def nq(self) -> int:
        """Number of entries of the position vector: `n`, plus one for each quaternion in it."""
        return sum(body.joint.nq for body in self._model.bodies)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints in the order of their positions q; a floating base comes first."""
        return tuple(body.joint.name or body.name for body in self._model.coordinates)

    @property
    def _joint_count(self) -> str:
        from dynagen.robot.joints import count_joints

        return count_joints([body.joint.type for body in self._model.coordinates])

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames in the description, such as camera in `jacobian@camera`."""
        return tuple(frame.name for frame in self.description.frames)

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are available for this robot."""
        from dynagen.dynamics.functions import FUNCTIONS

        return tuple(
            function.name
            for function in FUNCTIONS
            if not function.availability.explain_absence(self._model)
        )

    @property
    def position_limits(self) -> Array:
        """Lower and upper position limits in rad or m, shape (2, number of `joints`).

        The columns are in the order of `joints`. Unknown limits are infinite.
        """
        limits = [limit.position or (-inf, inf) for limit in self._limits()]
        return np.array([[float(bound) for bound in bounds] for bounds in limits]).T

    @property
    def velocity_limits(self) -> Array:
        """Largest speed of each joint in the order of `joints`, in rad/s or m/s; inf if unknown."""
        return np.array(
            [inf if limit.velocity is None else float(limit.velocity) for limit in self._limits()]
        )

    @property
    def effort_limits(self) -> Array:
        """Largest force of each joint in the order of `joints`, in N m or N; inf if unknown."""
        return np.array(
            [inf if limit.effort is None else float(limit.effort) for limit in self._limits()]
        )

    def _limits(self) -> Iterable[Limits]:
        from dynagen.robot.description import Limits

        by_link = {link.name: link.limits for link in self.description.links}
        return [by_link[body.name] or Limits() for body in self._model.coordinates]

    @property
    def parameters(self) -> dict[str, float]:
        """Default values of the run-time parameters by name, in SI units.

        The parameters are in the order of the array that `values` returns.
        """
        return {parameter.name: float(parameter.value) for parameter in self.description.parameters}

    def values(self, **changed: float) -> Array:
        """Return the values of all run-time parameters: their defaults, except those in `changed`.

        A function of a robot with run-time parameters has the array of all parameter values as its
        last input. The array has one entry for each parameter, in the order of `parameters`.

        Args:
            changed: new values by parameter name, in SI units, for example payload_mass=1.5.

        Raises:
            UsageError: unknown parameter.
        """
        for name in changed:
            if name not in self.parameters:
                raise UsageError(
                    f"{self.name} has no run-time parameter "
                    f"`{name}`{suggest_word(name, self.parameters)}"
                )
        return np.array([*(self.parameters | changed).values()], dtype=float)

    def function(self, request: str, method: str | None = None) -> Ufunc:
        """Return a function; it is compiled and proved at the first request.

        Args:
            request: name of a function, such as `mass_matrix` or, for the frame `camera`,
                `jacobian@camera`; several names with `+` between them request a fused function.
            method: algorithm of a function with several algorithms; None: the algorithm of lowest
                cost, by default with the fewest operations.

        Raises:
            UsageError: the robot has no such function or algorithm, or an option is invalid.
            ToolchainError: a compiler is not installed.
            VerificationError: the proof of the function failed.
        """
        if (request, method) not in self._compiled:
            self._compiled[request, method] = self._find(request, method) or self._compile(
                request, method
            )
        return self._compiled[request, method]

    def _find(self, request: str, method: str | None) -> Ufunc | None:
        """Return a function from the cache, or None if the cache does not contain it."""
        if not self._key:
            return None
        found = find_functions(make_key(self._key, request, method or ""))
        return None if found is None else next(iter(found.values()))

    @collect_garbage_rarely()
    def _compile(self, request: str, method: str | None) -> Ufunc:
        """Compile and prove a function, and store it in the cache."""
        from dynagen.runtime.compilation import compile_ufuncs

        settings = replace(self.settings, functions=(request,), method=method)
        (ufunc,) = compile_ufuncs(self.description, settings).values()
        if self._key:
            copy_entry(ufunc, make_key(self._key, request, method or ""))
        return ufunc

    def __getattr__(self, name: str) -> Any:
        """Return the function with the name of the attribute; the function is compiled when called.

        Raises:
            AttributeError: the robot has no such function.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        if (ufunc := self._compiled.get((name, None)) or self._find(name, None)) is not None:
            self._compiled[name, None] = ufunc
            vars(self)[name] = ufunc  # an attribute: Python no longer calls __getattr__
            return ufunc
        if name in self.functions:
            return _NotCompiled(self, name)
        from dynagen.dynamics.requests import suggest_function

        known = (*self.functions, *(each for each in dir(type(self)) if not each.startswith("_")))
        raise AttributeError(
            f"{self.name} has no function or attribute `{name}`"
            f"{suggest_word(name, known) or suggest_function(name)}"
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = {"_source": self._source, "_read": None}
        return {name: value for name, value in vars(self).items() if name != "_model"} | kept

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        """Return name, number of joints and compiled functions in one line."""
        done = ", ".join(request for request, _ in self._compiled) or "none"
        counts = f"{self._joint_count}, {len(self.functions)} functions"
        return f"<Robot {self.name}: {counts}, compiled: {done}>"

    def _repr_html_(self) -> str:
        """Return the robot and its functions as HTML tables, for notebooks."""
        from dynagen.dynamics.functions import FUNCTIONS

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
            f"<p><b>{escape(self.name)}</b>: {self._joint_count}. "
            f"{escape(self.description.source)}</p>"
            "<table><tr><th>joint</th><th>positions (rad, m)</th><th>velocity</th><th>effort</th>"
            f"</tr>{joints}</table><details><summary>{len(self.functions)} functions</summary>"
            f"<table><tr><th>call</th><th>computes</th></tr>{functions}</table></details>"
        )

    def _write_call(self, function: DynamicsFunction) -> str:
        """Return the text of a function's call, such as `mass_matrix(q)`."""
        return f"{function.name}({', '.join(each.name for each in function.inputs(self._model))})"


class _NotCompiled:
    """Function that is compiled at its first call.

    Editors and shells read all attributes of a robot; reading must not compile functions.
    """

    def __init__(self, robot: Robot, name: str) -> None:
        from dynagen.dynamics.functions import FUNCTIONS

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
