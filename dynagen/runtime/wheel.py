"""Wheels: Python packages with a robot's compiled functions; they require numpy but not dynagen."""

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
from dynagen.runtime.robot import generate_for_calls, prove_calls, write_notes
from dynagen.runtime.ufuncs import source_of
from dynagen.stages import Progress, Stages
from dynagen.toolchain.extension import MODULE, THIS_MACHINE, compile_module, import_module
from dynagen.version import __version__

# Versions of PEP 440 without epochs and local versions.
_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")
_TIME = (1980, 1, 1, 0, 0, 0)  # time stamp of all files, so that equal sources give equal wheels
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
    """Generate functions, compile them into a module, prove the module and pack it.

    Args:
        description: the robot.
        settings: what to generate; the language is C.
        folder: folder to write the wheel to.
        version: version of the package.
        native: whether to compile for processors like this machine's only.
        progress: called when a stage begins.
        workers: upper limit of the number of processes.

    Returns:
        All results of the run, and the path of the wheel.

    Raises:
        UsageError: invalid version or name, or Python is not CPython.
        ToolchainError: compiler or headers of Python are missing, or the code is rejected.
        VerificationError: a function of the module and a reference disagree; nothing is written.
    """
    _check_python(version)
    generation = generate_for_calls(description, settings, progress, workers)
    stage, package = Stages(progress), generation.package
    _check_name(package.prefix)
    source = source_of(generation.request.language.name, package, generation.files)
    help_lines = {
        name: notes.text.splitlines() for name, notes in write_notes(package, source).items()
    }
    extension = generation.request.language.extension
    assert extension is not None  # C has one
    with TemporaryDirectory(prefix="dynagen-") as temporary:
        path = Path(temporary, f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}")
        with stage("compiled kernel"):
            options = THIS_MACHINE if native else _portable_options(package.prefix)
            compile_module(
                extension.compiler, source.module_files(extension, help_lines), path, options
            )
        with stage("verification"):
            module = import_module(path)
            proofs = prove_calls(
                generation, {name: getattr(module, name) for name in source.signatures}
            )
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        distribution = Distribution(package.prefix, version, python, _require_numpy())
        texts = print_wheel(package, source.signatures, distribution)
        files = {name: text.encode() for name, text in texts.items()} | {
            f"{package.prefix}/{path.name}": path.read_bytes()
        }
    wheel = folder / f"{distribution.name}-{version}-{_tag()}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    write_wheel(wheel, files, distribution.information)
    return replace(generation, proofs={proof.function: proof for proof in proofs}), wheel


def _check_python(version: str) -> None:
    """Refuse invalid versions of the package, and interpreters other than CPython."""
    if not _VERSION.fullmatch(version):
        raise UsageError(f"invalid version `{version}`; expected for example 1.0, 2.1.3 or 1.0rc1")
    if sys.implementation.name != "cpython":
        raise UsageError(f"wheels are compiled for CPython, and this is {sys.implementation.name}")


def _check_name(name: str) -> None:
    """Refuse the name of a standard module."""
    if name in sys.stdlib_module_names:
        raise UsageError(
            f"a package `{name}` would hide the standard module of this name: choose another name "
            "with --prefix"
        )


def write_wheel(wheel: Path, files: Mapping[str, bytes], information: str) -> None:
    """Write a wheel: the files of the package, and the WHEEL and RECORD files that pip reads.

    Args:
        wheel: path of the wheel.
        files: content of each file, by its path in the wheel.
        information: name of the `.dist-info` folder.
    """
    about = (
        f"Wheel-Version: 1.0\nGenerator: dynagen {__version__}\n"
        f"Root-Is-Purelib: false\nTag: {_tag()}\n"
    )
    packed = {**files, f"{information}/WHEEL": about.encode()}
    record = [
        f"{name},sha256={_digest(content)},{len(content)}"
        for name, content in sorted(packed.items())
    ]
    packed[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,", ""]).encode()
    # Replacing a file is one step, so that the folder never holds a part of a wheel.
    with TemporaryDirectory(dir=wheel.parent, prefix="making-") as temporary:
        with zipfile.ZipFile(Path(temporary, wheel.name), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(packed.items()):
                entry = zipfile.ZipInfo(name, _TIME)
                entry.external_attr = _PERMISSIONS
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        os.replace(Path(temporary, wheel.name), wheel)


def _portable_options(prefix: str) -> tuple[str, ...]:
    """Return compiler options for a module that all machines of this architecture can load.

    On x86-64 with glibc, GCC compiles functions for several instruction sets. The loader then
    chooses the widest SIMD registers of the machine.
    """
    clones = platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"
    return (f"-D{prefix.upper()}_CLONES", *_STRIPPED) if clones else _STRIPPED


def _require_numpy() -> str:
    """Return the numpy requirement of the wheel.

    A module built with numpy 2 also runs on 1.26, but a module built with 1.26 does not run on 2.
    """
    return (
        "numpy >= 1.26" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy >= 1.26, < 2"
    )


def _tag() -> str:
    """Return the wheel tag: interpreter, binary interface and platform."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}{sys.abiflags}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _digest(content: bytes) -> str:
    """Return the SHA-256 of a file in the encoding of RECORD."""
    return base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
