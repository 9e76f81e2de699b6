"""The manifest: what was generated, for programs to read. It also tells the next run which files in the folder are dynagen's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dynagen.backends.package import Backend, Kernel, Package, SourceFile
from dynagen.ir.program import Argument

SCHEMA = 1


def manifest_name(package: Package) -> str:
    """File name of the manifest."""
    return f"{package.prefix}.manifest.json"


def with_manifest(package: Package, backend: Backend, files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """Add the manifest, which lists itself too, to a package's files."""
    paths = [*(file.path for file in files), manifest_name(package)]
    text = json.dumps(_manifest(package, backend, paths), indent=2)
    return (*files, SourceFile(manifest_name(package), text + "\n"))


def _manifest(package: Package, backend: Backend, paths: list[str]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "dynagen": package.version,
        "robot": package.robot,
        "input": package.input_name,
        "input_sha256": package.input_sha256,
        "language": backend.name,
        "real": package.real,
        "layout": backend.layout,
        "joints": [
            {"name": joint.name, "type": joint.type.name, "unit": joint.type.position_unit} for joint in package.joints
        ],
        "kernels": {kernel.function: _kernel(package, backend, kernel) for kernel in package.kernels},
        "parameters": [],
        "files": sorted(paths),
    }


def _kernel(package: Package, backend: Backend, kernel: Kernel) -> dict[str, Any]:
    return {
        "file": backend.kernel_path(package, kernel),
        "symbol": backend.symbol(package, kernel),
        "arguments": [_argument(argument) for argument in kernel.program.arguments],
        "operations": kernel.operations.as_dict(),
        "verified": _verified(package),
    }


def _argument(argument: Argument) -> dict[str, Any]:
    uniform = len(set(argument.units)) == 1
    return {
        "name": argument.name,
        "shape": list(argument.shape),
        "unit": argument.units[0] if uniform else list(argument.units),
    }


def _verified(package: Package) -> dict[str, Any] | str:
    proof = package.proof
    if proof is None:
        return "not verified"
    return {"states": proof.states, "seed": proof.seed, "within": proof.within, "references": list(proof.references)}
