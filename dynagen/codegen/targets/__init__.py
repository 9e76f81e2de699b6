"""Table of the targets, and the search for one by name.

The command `dynagen ROBOT --target NAME` selects a target, which is a form of delivery. To add a
target, write a module with its `Target` and templates for its files, and add an entry to TARGETS.
"""

from __future__ import annotations

from dynagen.codegen.targets.target import Target
from dynagen.errors import UsageError, suggest_word
from dynagen.on_demand import Registry

TARGETS: Registry[Target] = Registry(
    {
        "folder": "dynagen.codegen.targets.folder.FOLDER",
        "wheel": "dynagen.codegen.targets.wheel.WHEEL",
        "casadi": "dynagen.codegen.targets.casadi.CASADI",
        "acados": "dynagen.codegen.targets.acados.ACADOS",
        "jax": "dynagen.codegen.targets.jax.JAX",
        "torch": "dynagen.codegen.targets.torch.TORCH",
        "platformio": "dynagen.codegen.targets.embedded.PLATFORMIO",
        "arduino": "dynagen.codegen.targets.embedded.ARDUINO",
        "zephyr": "dynagen.codegen.targets.embedded.ZEPHYR",
        "ros2": "dynagen.codegen.targets.ros2.ROS2",
        "fmu": "dynagen.codegen.targets.fmu.FMU",
    }
)


def find_target(name: str) -> Target:
    """Return the target (form of delivery) with a name such as `wheel`.

    Raises:
        UsageError: no target has this name.
    """
    if name not in TARGETS.names:
        raise UsageError(
            f"--target: expected one of {', '.join(TARGETS.names)}, found `{name}`"
            f"{suggest_word(name, TARGETS.names)}"
        )
    return TARGETS.find(name)


def list_targets_with(setting: str) -> str:
    """Return the names of the targets that offer a setting, such as `folder, wheel or jax`."""
    *others, last = (target.name for target in TARGETS if setting in target.options)
    return f"{', '.join(others)} or {last}" if others else last
