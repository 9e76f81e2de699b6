"""Robot description -> a wheel: its functions compiled, installed with pip, without dynagen where they are used."""

from __future__ import annotations

import base64
import os
import platform
import re
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dynagen.codegen.targets.wheel_files import Distribution, print_wheel
from dynagen.errors import UsageError
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.robot import generate_for_calls, notes_of, prove_calls
from dynagen.runtime.ufuncs import source_of
from dynagen.stages import Progress, Stages
from dynagen.toolchain.extension import MODULE, THIS_MACHINE, compile_module, import_module
from dynagen.version import __version__

_VERSION = re.compile(
    r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?"
)  # of PEP 440, but for epochs and local versions
_TIME = (1980, 1, 1, 0, 0, 0)  # of all files: the same source gives the same wheel
_PERMISSIONS = 0o644 << 16
_STRIPPED = ("-s",)


def build_wheel(
    description: RobotDescription,
    settings: Settings,
    folder: Path,
    version: str,
    native: bool,
    progress: Progress,
    workers: int,
) -> tuple[Generation, Path]:
    """Generate functions, compile them into a module, prove that module, and pack it.

    Args:
        description: the robot.
        settings: what to generate; the language is C.
        folder: to write the wheel to.
        version: of the wheel.
        native: whether it is only for machines like this one.
        progress: is called when a stage begins.
        workers: most processes to generate functions in.

    Returns:
        What was generated and proved, and the wheel.

    Raises:
        UsageError: the version is none, the name is that of a module of Python, or Python is not CPython.
        ToolchainError: no compiler or no headers of Python, or the compiler refuses the code.
        VerificationError: a function of the module and a reference disagree; nothing is written.
    """
    if not _VERSION.fullmatch(version):
        raise UsageError(
            f"`{version}` is no version of a Python package; expected one as 1.0, 2.1.3 or 1.0rc1"
        )
    if sys.implementation.name != "cpython":
        raise UsageError(f"wheels are compiled for CPython, and this is {sys.implementation.name}")
    stage = Stages(progress)
    generation = generate_for_calls(description, settings, progress, workers)
    package = generation.package
    if package.prefix in sys.stdlib_module_names:
        raise UsageError(
            f"a package `{package.prefix}` would hide Python's own: choose another name (--prefix)"
        )
    source = source_of(generation.request.language.name, package, generation.files)
    help_lines = {
        name: notes.text.splitlines() for name, notes in notes_of(package, source).items()
    }
    extension = generation.request.language.extension
    assert extension is not None  # of C
    with TemporaryDirectory(prefix="dynagen-") as temporary:
        path = Path(temporary, f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}")
        with stage("compiled kernel"):
            options = THIS_MACHINE if native else _portable(package.prefix)
            compile_module(
                extension.compiler, source.module_files(extension, help_lines), path, options
            )
        with stage("verification"):
            module = import_module(path)
            proofs = prove_calls(
                generation, {name: getattr(module, name) for name in source.signatures}
            )
        distribution = Distribution(
            package.prefix, version, f"{sys.version_info.major}.{sys.version_info.minor}", _numpy()
        )
        texts = print_wheel(package, source.signatures, distribution)
        files = {name: text.encode() for name, text in texts.items()} | {
            f"{package.prefix}/{path.name}": path.read_bytes()
        }
    wheel = folder / f"{distribution.name}-{version}-{_tag()}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    write_wheel(wheel, files, distribution.information)
    return replace(generation, proofs={proof.function: proof for proof in proofs}), wheel


def write_wheel(wheel: Path, files: Mapping[str, bytes], information: str) -> None:
    """Write a wheel, with the files that say that it is one.

    Args:
        wheel: its path.
        files: path -> content.
        information: the folder with what pip knows of it.
    """
    about = f"Wheel-Version: 1.0\nGenerator: dynagen {__version__}\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    packed = {**files, f"{information}/WHEEL": about.encode()}
    record = [
        f"{name},sha256={_digest(content)},{len(content)}"
        for name, content in sorted(packed.items())
    ]
    packed[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,", ""]).encode()
    with TemporaryDirectory(dir=wheel.parent, prefix="making-") as temporary:  # whole or not at all
        with zipfile.ZipFile(Path(temporary, wheel.name), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(packed.items()):
                entry = zipfile.ZipInfo(name, _TIME)
                entry.external_attr = _PERMISSIONS
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        os.replace(Path(temporary, wheel.name), wheel)


def _portable(prefix: str) -> tuple[str, ...]:
    """Options for a module that any machine of this kind can load, and that uses the vectors of the one that it is on."""
    clones = (
        platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"
    )  # what GCC needs to choose at run time
    return (f"-D{prefix.upper()}_CLONES", *_STRIPPED) if clones else _STRIPPED


def _numpy() -> str:
    """What a module needs that was compiled with the numpy that is here: 2 is ready for 1, 1 is not for 2."""
    return (
        "numpy >= 1.26" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy >= 1.26, < 2"
    )


def _tag() -> str:
    """Interpreter, its binary interface and the platform, as they stand in the name of a wheel."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}{sys.abiflags}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
