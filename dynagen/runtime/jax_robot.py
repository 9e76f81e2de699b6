"""JAX functions of a robot, which are generated, compiled and proved at their first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any

from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.jax import BACKENDS, FFI, JAX
from dynagen.errors import UsageError
from dynagen.pipeline.settings import LearningKeywords, Settings
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.runtime.api import AnyRobot, add_options, as_description, read_options
from dynagen.runtime.delivered_packages import import_package
from dynagen.runtime.deliveries import Delivery
from dynagen.runtime.target_robot import PREFIX, TargetRobot

if TYPE_CHECKING:
    from typing_extensions import Unpack


class JaxRobot(TargetRobot):
    """Robot whose attributes are functions of JAX arrays: `panda.forward_dynamics(q, qd, tau)`.

    Each function is generated, compiled and proved at its first use. The method `function` returns
    functions of named frames, and fused functions.

    Attributes:
        description: the robot description.
        settings: options of the run that generates the functions, such as effort and proof.
        backend: "ffi" for compiled kernels, "xla" for programs in jax.numpy.
    """

    library = "JAX"
    module = "jax"

    def __init__(self, description: RobotDescription, settings: Settings, backend: str) -> None:
        super().__init__(description, settings)
        self.backend = backend

    def _import(self, request: str, delivery: Delivery) -> Callable[..., Any]:
        archive = delivery.built
        assert isinstance(archive, Archive)  # the target always builds one
        function = getattr(import_package(archive, "jax"), delivery.function)
        return update_wrapper(partial(function, backend=self.backend), function)


@add_options(LearningKeywords)
def load(robot: AnyRobot, *, backend: str = FFI, **options: Unpack[LearningKeywords]) -> JaxRobot:
    """Load a robot whose functions accept and return JAX arrays, with derivatives.

        panda = dynagen.jax.load("panda")
        qdd = panda.forward_dynamics(q, qd, tau)
        jax.grad(lambda q: panda.inverse_dynamics(q, qd, qdd)[0])(q)

    Each function is generated and proved at its first use, and stored in a cache for other
    processes.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        backend: "ffi" calls compiled kernels on the CPU, with gpu=True also on an NVIDIA GPU. "xla"
            uses programs in jax.numpy, which run on any device and have derivatives of any order,
            but are slower.
        options: options of the run, and of `load_robot`: {options}

    Returns:
        The robot, whose attributes are functions of JAX arrays.

    Raises:
        UsageError: the file or bundled robot does not exist, the file cannot be read, or the back
            end is unknown.
        RobotDescriptionError: the description is invalid; the error lists all faults.
        ToolchainError: JAX is not installed.
    """
    require_extra("jax", "jax", "for functions that accept JAX arrays")
    if backend not in BACKENDS:
        raise UsageError(f"backend: expected {' or '.join(BACKENDS)}, found `{backend}`")
    settings, reading = read_options(
        LearningKeywords, options, target=JAX.name, native=True, prefix=PREFIX
    )
    return JaxRobot(as_description(robot, reading), settings, backend)
