"""Base class of robots whose functions are CasADi, JAX or PyTorch functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from dynagen.errors import suggest_word
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.deliveries import Delivery, find_delivery
from dynagen.runtime.robot import Robot

PREFIX = "robot"
"""Prefix of generated names. The robot's name is not used, because it could be a keyword."""


class TargetRobot(ABC):
    """Robot whose attributes are functions of another library, such as `panda.forward_dynamics`.

    Attributes:
        description: the robot description.
        settings: options of the run that generates the functions, such as effort and proof.
    """

    library: ClassVar[str]
    """Name of the library whose functions the robot offers, such as JAX."""
    module: ClassVar[str]
    """Name under which Python imports the library."""
    further: ClassVar[tuple[str, ...]] = ()
    """Names of functions that are available only for robots of this class."""

    def __init__(self, description: RobotDescription, settings: Settings) -> None:
        self.description = description
        self.settings = settings
        self._robot = Robot(lambda: (description, settings))
        self._loaded: dict[str, Any] = {}

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that are available for this robot."""
        return (*self._robot.functions, *self.further)

    def function(self, request: str) -> Any:
        """Return a function for the library, such as JAX.

        The function is compiled and proved at the first request.

        Args:
            request: name of a function, such as `mass_matrix` or, for the frame `camera`,
                `jacobian@camera`; several names with `+` between them request a fused function.

        Raises:
            UsageError: the robot has no such function, or an option is invalid.
            ToolchainError: a compiler is not installed.
            VerificationError: the proof of the function failed.
        """
        if request not in self._loaded:
            settings = replace(self.settings, functions=(request,))
            delivery = find_delivery(self.description, settings, self.module)
            self._loaded[request] = self._import(request, delivery)
        return self._loaded[request]

    @abstractmethod
    def _import(self, request: str, delivery: Delivery) -> Any:
        """Load the wheel or shared library with the requested function; return the function."""

    def __getattr__(self, name: str) -> Any:
        """Return the function with the name of the attribute.

        Raises:
            AttributeError: the robot has no such function.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._loaded:
            # Code that torch.compile or jax.jit traces must not compute again what is available.
            return self._loaded[name]
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
        counts = f"{len(self.functions)} {self.library} functions"
        return f"<{type(self).__name__} {self.description.name}: {counts}, compiled: {done}>"
