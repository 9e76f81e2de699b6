"""Extras: libraries that some commands need and most users do without."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from dynagen.errors import ToolchainError


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
        raise ToolchainError(f"{module} is needed {purpose}: install it with `pip install 'dynagen[{extra}]'`{otherwise}")


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
