"""Files that are delivered with dynagen, and optional libraries (extras).

The bundled files are templates of generated code, robot descriptions, operation counts from papers
and a CMake module. The bundled files are next to the Python package in a checkout, and inside the
package after installation. An extra is a library that only some commands need.
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


def find_templates_folder() -> Path:
    """Return the folder that contains one folder of templates for each programming language."""
    return _folder("templates")


def find_robots_folder() -> Path:
    """Return the folder with the bundled robot descriptions."""
    return _folder("robots")


def find_published_folder() -> Path:
    """Return the folder with files of operation counts from papers."""
    return _folder("published")


def find_cmake_folder() -> Path:
    """Return the folder with dynagenConfig.cmake, for CMake's find_package."""
    return _PACKAGE / "cmake"


def list_bundled_robots() -> tuple[str, ...]:
    """Return the names of the bundled robots, in alphabetical order."""
    return tuple(sorted(path.stem for path in find_robots_folder().glob("*.yaml")))


def is_bundled(path: str) -> bool:
    """Return whether a path is the path of a bundled robot's description."""
    return Path(path).parent == find_robots_folder()


def make_title(path: str) -> str:
    """Return a robot file's name for messages: a bundled robot's name, or else the whole path."""
    return Path(path).stem if is_bundled(path) else path


def _folder(name: str) -> Path:
    """Return the path of a bundled folder, in the installed package or in the checkout."""
    # A wheel contains the folders in _data (pyproject.toml, force-include). A checkout or an
    # editable install has no _data.
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


Polynomial = Annotated[
    tuple[Fraction, ...],
    BeforeValidator(lambda given: tuple(Fraction(coefficient) for coefficient in given)),
]
"""Polynomial in the number n of joints, as the coefficients of 1, n, n^2, ..."""


class Record(BaseModel):
    """Base class of mappings in files of published counts; undeclared keys are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid")


AnyRecord = TypeVar("AnyRecord", bound=Record)


def read_records(kind: type[AnyRecord], name: str) -> AnyRecord:
    """Read a file of published operation counts, and return its records.

    Args:
        kind: subclass of `Record` that declares the keys of the file.
        name: name of the file without `.yaml`, such as `counts`.

    Returns:
        An instance of `kind` with the content of the file.
    """
    text = (find_published_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    return kind.model_validate(YAML(typ="safe", pure=True).load(text))


def require_extra(module: str, extra: str, purpose: str, instead: str = "") -> None:
    """Check that an optional library is installed.

    Args:
        module: name of the library's Python module, such as `scipy`.
        extra: dynagen's extra that installs the library, such as `identify`.
        purpose: what the caller needs the library for, such as `to draw the motion`.
        instead: alternative without the library, such as `take --method sweeps`.

    Raises:
        ToolchainError: the library is not installed; the message states the command that installs
            the library.
    """
    if find_spec(module) is None:
        otherwise = f", or {instead}" if instead else ""
        raise ToolchainError(
            f"{module} is needed {purpose}: "
            f"install it with `pip install 'dynagen[{extra}]'`{otherwise}"
        )


@contextmanager
def hide_module(module: str) -> Iterator[None]:
    """Hide a module from imports inside the block, unless it has been imported before."""
    modules: dict[str, Any] = sys.modules
    hidden = module not in modules
    if hidden:
        modules[module] = None  # `import` and `find_spec` treat None as "not installed"
    try:
        yield
    finally:
        if hidden:
            del modules[module]
