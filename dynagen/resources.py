"""Bundled files, published figures, and optional libraries (extras).

Bundled files: templates, robots, figures of others, beside the package or inside it when installed; and CMake's module.

Records: what others have published, bundled as data (the folder `published`), checked when it is read.

Extras: libraries that some commands need and most users do without.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict
from ruamel.yaml import YAML

from dynagen.errors import ToolchainError

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


Polynomial = Annotated[
    tuple[Fraction, ...], BeforeValidator(lambda given: tuple(Fraction(each) for each in given))
]
"""Coefficients of 1, n, n^2, ..., for n joints."""


class Record(BaseModel):
    """A mapping of such a file: it has the keys of its model and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


AnyRecord = TypeVar("AnyRecord", bound=Record)


def read_records(kind: type[AnyRecord], name: str) -> AnyRecord:
    """The content of a file, by its name without the ending."""
    text = (published_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    return kind.model_validate(YAML(typ="safe", pure=True).load(text))


def require_extra(module: str, extra: str, purpose: str, instead: str = "") -> None:
    """Ask for a library by name where it is missing.

    Args:
        module: that has to be there.
        extra: of dynagen, that it comes with.
        purpose: what it is needed for, as `to draw the motion`.
        instead: what does without it, as `take --method sweeps`.

    Raises:
        ToolchainError: says what to install.
    """
    if find_spec(module) is None:
        otherwise = f", or {instead}" if instead else ""
        raise ToolchainError(
            f"{module} is needed {purpose}: install it with `pip install 'dynagen[{extra}]'`{otherwise}"
        )


@contextmanager
def without_module(module: str) -> Iterator[None]:
    """Let what is imported in the block find that a module is not installed, unless it has been imported before."""
    modules: dict[str, Any] = sys.modules
    hidden = module not in modules
    if hidden:
        modules[module] = None
    try:
        yield
    finally:
        if hidden:
            del modules[module]
