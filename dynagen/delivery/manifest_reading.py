"""A delivered folder -> what its manifest says about its kernels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagen.delivery.manifest import MANIFEST, SCHEMA, checked_path
from dynagen.errors import UsageError
from dynagen.ir.program import STATUS, Argument, Signature
from dynagen.languages import find_language
from dynagen.languages.language import Language
from dynagen.languages.routine import Cores, Routine, over_cores, over_lanes
from dynagen.numbers.real import Real, find_real
from dynagen.options import Option, make, recorded
from dynagen.robot.options import ReadingOptions


@dataclass(frozen=True)
class DeliveredKernel:
    """A kernel on disk.

    Attributes:
        request: what to ask for to get it; empty for `prepare`.
        file: path in the folder.
        symbol: what it is called.
        batch_file: path of the same over many states side by side; empty if there is none.
        cores_file: path of the same on several cores; empty if there is none.
        cores: these.
    """

    request: str
    file: str
    symbol: str
    signature: Signature
    batch_file: str = ""
    cores_file: str = ""
    cores: Cores | None = None

    def routines(self) -> Iterator[Routine]:
        """The routines to load."""
        kernel = Routine(self.symbol, self.signature)
        yield kernel
        if self.batch_file:
            yield over_lanes(kernel)
        if self.cores:
            yield over_cores(kernel, self.cores)


@dataclass(frozen=True)
class Delivery:
    """A delivered folder, as its manifest describes it.

    Attributes:
        input_name: file name of the description that it was generated from.
        input_sha256: of that description's bytes.
        files: all paths in the folder.
        reading: how the description was read.
    """

    folder: Path
    robot: str
    input_name: str
    input_sha256: str
    language: Language
    real: Real
    kernels: tuple[DeliveredKernel, ...]
    files: tuple[str, ...]
    reading: ReadingOptions

    def compiled_files(self) -> dict[str, str]:
        """Path -> text of the files that kernels are in, and of those that they include, as they are now.

        Raises:
            UsageError: one of them is missing or no text.
        """
        sources = {
            path
            for kernel in self.kernels
            for path in (kernel.file, kernel.batch_file, kernel.cores_file)
        }
        texts = {}
        for path in self.files:
            if self.language.compiles(path, sources):
                try:
                    texts[path] = (self.folder / path).read_text(encoding="utf-8")
                except (OSError, UnicodeDecodeError) as error:
                    raise UsageError(
                        f"{self.folder / path} cannot be read ({error}); generate the folder again"
                    ) from None
        return texts


def read_delivery(folder: Path) -> Delivery:
    """Read the manifest of a folder.

    Raises:
        UsageError: there is no manifest, or more than one, or it is not one that this version can read.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}; expected one that dynagen has written")
    paths = sorted(folder.glob(f"*{MANIFEST}"))
    if len(paths) != 1:
        found = "no manifest" if not paths else f"{len(paths)} manifests"
        raise UsageError(
            f"{folder} holds {found} of dynagen; expected a folder that dynagen has written"
        )
    try:
        content = json.loads(paths[0].read_bytes())
        if content["schema"] != SCHEMA:
            raise ValueError(f"schema {content['schema']!r}, expected {SCHEMA}")
        return _delivery(folder, content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{paths[0]} is not a manifest that this version of dynagen can read ({error!r})"
        ) from error


def _delivery(folder: Path, content: dict[str, Any]) -> Delivery:
    return Delivery(
        folder=folder,
        robot=str(content["robot"]),
        input_name=str(content["input"]),
        input_sha256=str(content["input_sha256"]),
        language=find_language(content["language"]),
        real=find_real(content["real"]),
        kernels=tuple(
            DeliveredKernel(
                str(kernel["request"]),
                str(checked_path(kernel["file"])),
                _symbol(kernel["symbol"]),
                _signature(name, kernel["arguments"], bool(kernel.get("status"))),
                _file(kernel, "batch"),
                _file(kernel, "cores"),
                _read_cores(name, kernel) if "cores" in kernel else None,
            )
            for name, kernel in content["kernels"].items()
        ),
        files=tuple(str(checked_path(path)) for path in content["files"]),
        reading=_reading(content.get("reading", {})),
    )


def _reading(recorded_options: dict[str, Any]) -> ReadingOptions:
    given = {
        name: _given(recorded_options.get(name.replace("_", "-")), option)
        for name, option in recorded(ReadingOptions).items()
    }
    return make(ReadingOptions, given)


def _given(value: Any, option: Option) -> Any:
    """Return the value of an option as a user gives it: a number if the default is one, else text, or texts by name."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {str(name): str(each) for name, each in value.items()}
    return type(option.default)(value) if isinstance(option.default, int | float) else str(value)


def _file(kernel: dict[str, Any], kind: str) -> str:
    """Path of the file of a further form of a kernel, as over lanes; empty if the kernel has no such form."""
    return str(checked_path(kernel[kind]["file"])) if kind in kernel else ""


def _read_cores(function: str, kernel: dict[str, Any]) -> Cores:
    return Cores(
        len(kernel["cores"]["symbols"]), _symbol(kernel["symbol"]).removesuffix(f"_{function}")
    )


def _symbol(symbol: str) -> str:
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", symbol):
        raise ValueError(f"{symbol!r} is no identifier")
    return symbol


def _signature(name: str, arguments: list[dict[str, Any]], can_fail: bool) -> Signature:
    inputs, outputs = (
        tuple(
            Argument(str(argument["name"]), tuple(map(int, argument["shape"])), (), "")
            for argument in arguments
            if argument["direction"] == direction
        )
        for direction in ("in", "out")
    )
    status = (Argument(STATUS, (1,), (), "", is_status=True),) if can_fail else ()
    return Signature(name, inputs, (*outputs, *status))
