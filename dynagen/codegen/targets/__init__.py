"""Table of the targets, and the search for one by name.

The command `dynagen ROBOT --target NAME` selects a target, which is a form of delivery. To add a
target, write a module with its `Target` and templates for its files, and add an entry to TARGETS.
"""

from __future__ import annotations

from dynagen.codegen.targets.acados import ACADOS
from dynagen.codegen.targets.casadi import CASADI
from dynagen.codegen.targets.embedded import EMBEDDED
from dynagen.codegen.targets.fmu import FMU
from dynagen.codegen.targets.folder import FOLDER
from dynagen.codegen.targets.jax import JAX
from dynagen.codegen.targets.ros2 import ROS2
from dynagen.codegen.targets.target import Target
from dynagen.codegen.targets.torch import TORCH
from dynagen.codegen.targets.wheel import WHEEL
from dynagen.errors import UsageError, suggest_word

TARGETS: tuple[Target, ...] = (FOLDER, WHEEL, CASADI, ACADOS, JAX, TORCH, *EMBEDDED, ROS2, FMU)


def find_target(name: str) -> Target:
    """Return the target (form of delivery) with a name such as `wheel`.

    Raises:
        UsageError: no target has this name.
    """
    names = [target.name for target in TARGETS]
    if name not in names:
        raise UsageError(
            f"--target: expected one of {', '.join(names)}, found `{name}`"
            f"{suggest_word(name, names)}"
        )
    return TARGETS[names.index(name)]


def list_targets_with(setting: str) -> str:
    """Return the names of the targets that offer a setting, such as `folder, wheel or jax`."""
    *others, last = (target.name for target in TARGETS if setting in target.options)
    return f"{', '.join(others)} or {last}" if others else last
