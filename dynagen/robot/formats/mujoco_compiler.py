"""MuJoCo's compiler, if it is installed: the only module that imports MuJoCo."""

from __future__ import annotations

from typing import Any

from dynagen.errors import ToolchainError, shown
from dynagen.resources import require_extra


def compile_model(what_for: str, path: str = "", text: str = "") -> tuple[Any, Any]:
    """The module `mujoco` and the model that it makes of a file, or of a text.

    Its warnings, of which it would write a log file into the present folder, are dropped.

    Raises:
        ToolchainError: it is not installed; says what it is needed for.
        ValueError: it refuses the model, in its words.
    """
    require_extra("mujoco", "mujoco", f"for {what_for}")
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        return mujoco, mujoco.MjModel.from_xml_string(
            text
        ) if text else mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        raise ValueError(shown(" ".join(str(error).split()), 300)) from None
    finally:
        mujoco.set_mju_user_warning(before)


def files_of_model(path: str) -> list[str]:
    """The files that a model which MuJoCo has compiled is read from: the file, what it includes, and its meshes.

    Raises:
        ToolchainError: this MuJoCo does not tell.
    """
    import mujoco

    if not hasattr(mujoco, "mju_getXMLDependencies"):
        raise ToolchainError(
            f"MuJoCo {mujoco.__version__} does not tell what {path} includes; a newer one does: pip install -U mujoco"
        )
    return sorted(mujoco.mju_getXMLDependencies(path))
