"""PyTorch functions of a robot, which are generated, compiled and proved at their first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.torch import TORCH
from dynagen.pipeline.settings import LearningKeywords
from dynagen.resources import require_extra
from dynagen.runtime.api import AnyRobot, add_options, as_description, read_options
from dynagen.runtime.delivered_packages import import_package
from dynagen.runtime.deliveries import Delivery
from dynagen.runtime.target_robot import PREFIX, TargetRobot

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TorchRobot(TargetRobot):
    """Robot whose attributes are functions of tensors, such as `panda.mass_matrix(q)`.

    Each function is generated, compiled and proved at its first use. The method `function` returns
    functions of named frames, and fused functions.

    Attributes:
        description: the robot description.
        settings: options of the run that generates the functions, such as effort and proof.
    """

    library = "PyTorch"
    module = "torch"

    def _import(self, request: str, delivery: Delivery) -> Callable[..., Any]:
        archive = delivery.built
        assert isinstance(archive, Archive)  # the target always builds one
        function: Callable[..., Any] = getattr(import_package(archive, "torch"), delivery.function)
        return function


@add_options(LearningKeywords)
def load(robot: AnyRobot, **options: Unpack[LearningKeywords]) -> TorchRobot:
    """Load a robot whose functions accept and return PyTorch tensors, with derivatives.

        panda = dynagen.torch.load("panda")
        qdd = panda.forward_dynamics(q, qd, tau)
        qdd.square().sum().backward()

    Each function is generated and proved at its first use, and stored in a cache for other
    processes.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        options: options of the run, and of `load_robot`: {options}

    Returns:
        The robot, whose attributes are functions of tensors.

    Raises:
        UsageError: the file or bundled robot does not exist, or the file cannot be read.
        RobotDescriptionError: the description is invalid; the error lists all faults.
        ToolchainError: PyTorch is not installed.
    """
    require_extra("torch", "torch", "for functions that accept PyTorch tensors")
    settings, reading = read_options(
        LearningKeywords, options, target=TORCH.name, native=True, prefix=PREFIX
    )
    return TorchRobot(as_description(robot, reading), settings)
