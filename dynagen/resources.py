"""Bundled files: templates, robots, figures of others, beside the package or inside it when installed; and CMake's module."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates_folder() -> Path:
    """Folder with one folder of templates for each language."""
    return _folder("templates")


def robots_folder() -> Path:
    """Folder with the bundled robot descriptions."""
    return _folder("robots")


def published_folder() -> Path:
    """Folder with the operation counts of others."""
    return _folder("published")


def cmake_folder() -> Path:
    """Folder with dynagenConfig.cmake, for CMake's find_package."""
    return _PACKAGE / "cmake"


def bundled_robots() -> tuple[str, ...]:
    """Names of the bundled robots, in alphabetical order."""
    return tuple(sorted(path.stem for path in robots_folder().glob("*.yaml")))


def title_of(path: str) -> str:
    """What messages call the file of a robot: a bundled one by its name, any other by its path."""
    return Path(path).stem if Path(path).parent == robots_folder() else path


def _folder(name: str) -> Path:
    # A wheel carries the folders in _data (pyproject.toml, force-include); a checkout or an editable install has no _data.
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
