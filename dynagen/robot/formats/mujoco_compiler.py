"""Access to MuJoCo's compiler; no other module imports MuJoCo."""

from __future__ import annotations

from typing import Any

from dynagen.errors import ToolchainError, clip
from dynagen.resources import require_extra


def compile_model(what_for: str, path: str = "", text: str = "") -> tuple[Any, Any]:
    """Compile a model with MuJoCo, from a file or a text in MJCF or URDF.

    MuJoCo's warnings are suppressed; MuJoCo would write them to a log file in the current folder.

    Args:
        what_for: purpose of the call; the message states it if MuJoCo is not installed.
        path: file to compile.
        text: model to compile instead of a file.

    Returns:
        The module `mujoco` and the compiled `MjModel`.

    Raises:
        ToolchainError: MuJoCo is not installed.
        ValueError: MuJoCo rejects the model; the message is MuJoCo's.
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
        raise ValueError(clip(" ".join(str(error).split()), 300)) from None
    finally:
        mujoco.set_mju_user_warning(before)


def list_model_files(path: str) -> list[str]:
    """Return the sorted paths of an MJCF file, of the files that it includes, and of its meshes.

    Raises:
        ToolchainError: the installed version of MuJoCo is too old to list the files.
    """
    import mujoco

    if not hasattr(mujoco, "mju_getXMLDependencies"):
        raise ToolchainError(
            f"MuJoCo {mujoco.__version__} cannot list the files that {path} includes; "
            "a newer version can: pip install -U mujoco"
        )
    return sorted(mujoco.mju_getXMLDependencies(path))
