"""The manifest: what was generated, for programs to read.

It also tells the next run which files of the folder are dynagen's to replace. `manifest_reading` reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from dynagen.ir.program import Argument
from dynagen.languages.language import Language
from dynagen.languages.package import Joint, Kernel, MimicJoint, Package, SourceFile
from dynagen.languages.routine import batch_name, core_name, cores_name
from dynagen.languages.size import COMPILER, kernel_size

SCHEMA = 1
MANIFEST = ".manifest.json"
"""How the name of a manifest ends, after the prefix."""

_WIDTH = 100


def manifest_name(package: Package) -> str:
    """File name of the manifest."""
    return f"{package.prefix}{MANIFEST}"


def footprint_name(prefix: str) -> str:
    """File name of the measured footprint, which lies beside the manifest and is not listed in it."""
    return f"{prefix}.footprint.json"


def with_manifest(
    package: Package, language: Language, files: Sequence[SourceFile]
) -> tuple[SourceFile, ...]:
    """Add the manifest, which lists itself too, to a package's files."""
    paths = [*(file.path for file in files), manifest_name(package)]
    return (*files, SourceFile(manifest_name(package), _json(_manifest(package, language, paths))))


def checked_path(path: str) -> PurePosixPath:
    """A path that stays inside the folder.

    Raises:
        ValueError: it does not.
    """
    pure = PurePosixPath(path)
    if (
        pure.is_absolute()
        or not pure.parts
        or ".." in pure.parts
        or "\\" in path
        or ":" in path
        or "\0" in path
    ):
        raise ValueError(f"{path!r} is not a path inside the folder")
    return pure


def _manifest(package: Package, language: Language, paths: list[str]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "dynagen": package.version,
        "robot": package.robot,
        "input": package.input_name,
        "input_sha256": package.input_sha256,
        "language": language.name,
        "real": package.real.name,
        "layout": language.layout,
        **package.choices,
        **({"nq": package.nq, "nv": package.nv} if package.nq > package.nv else {}),
        "joints": [_joint(joint) for joint in package.joints],
        **({"mimic_joints": [_mimic(each) for each in package.mimics]} if package.mimics else {}),
        "rule": package.proof.rule if package.proof else "",
        "kernels": {
            kernel.function: _kernel(package, language, kernel) for kernel in package.kernels
        },
        "parameters": [
            {
                "index": index,
                "name": parameter.name,
                "constant": language.constant(package.prefix, parameter.name),
                "unit": parameter.unit,
                "default": float(parameter.value),
            }
            for index, parameter in enumerate(package.parameters)
        ],
        **(
            {"base_parameters": {each.name: dict(each.terms) for each in package.base}}
            if package.base
            else {}
        ),
        "files": sorted(paths),
    }


def _joint(joint: Joint) -> dict[str, Any]:
    link = {"link": joint.link} if joint.link != joint.name else {}
    kind: dict[str, Any] = {"type": joint.type.name, "unit": joint.type.position_unit}
    if joint.type.is_free:
        kind |= {
            "unit": joint.type.position_units,
            "q": joint.type.position_names,
            "v": joint.type.velocity_names,
        }
    return {"name": joint.name, **link, **kind}


def _mimic(mimic: MimicJoint) -> dict[str, Any]:
    return {
        **_joint(mimic.joint),
        "follows": mimic.follows,
        "ratio": mimic.ratio,
        "offset": mimic.offset,
    }


def _kernel(package: Package, language: Language, kernel: Kernel) -> dict[str, Any]:
    return {
        "request": kernel.request,
        "file": language.kernel_path(package, kernel),
        "symbol": language.symbol(package.prefix, kernel.function),
        **_batch(package, language, kernel),
        **_cores(package, language, kernel),
        "arguments": [
            *(_argument(argument, "in") for argument in kernel.program.inputs),
            *(_argument(output.argument, "out") for output in kernel.program.results),
        ],
        **({"status": True} if kernel.program.can_fail else {}),
        "formulation": list(kernel.notes),
        "operations": kernel.operations.as_dict(),
        **({"size": _size(package, kernel)} if language.is_compiled else {}),
        "verified": _verified(package, kernel),
    }


def _batch(package: Package, language: Language, kernel: Kernel) -> dict[str, Any]:
    """The place of the kernel over lanes, if there is one: element j of state i is at [j*stride + i] of its arrays."""
    path = language.batch_path(package, kernel) if language.batch_path else ""
    symbol = batch_name(language.symbol(package.prefix, kernel.function))
    return {"batch": {"file": path, "symbol": symbol}} if path else {}


def _cores(package: Package, language: Language, kernel: Kernel) -> dict[str, Any]:
    """The functions of several cores, if there are any, and what one call is estimated to take on one core and on all."""
    partition = kernel.partition
    if partition is None or language.cores_path is None:
        return {}
    symbol = language.symbol(package.prefix, kernel.function)
    return {
        "cores": {
            "file": language.cores_path(package, kernel),
            "context": cores_name(symbol),
            "symbols": [core_name(symbol, core) for core in range(len(partition.cores))],
            "messages": len(partition.messages),
            "alone_ns": round(float(partition.alone), 1),
            "together_ns": round(float(partition.together), 1),
        }
    }


def _size(package: Package, kernel: Kernel) -> dict[str, Any]:
    size = kernel_size(package, kernel)
    expected = {"code_bytes": size.code, "stack_bytes": size.stack, "seconds": size.seconds}
    return {
        "statements": size.statements,
        "most_live_values": size.live,
        "segments": size.segments,
        "expected": {"of": COMPILER, **expected},
    }


def _argument(argument: Argument, direction: str) -> dict[str, Any]:
    uniform = len(set(argument.units)) == 1
    columns = {"columns": list(argument.columns)} if argument.columns else {}
    return {
        "name": argument.name,
        "direction": direction,
        "shape": list(argument.shape),
        "unit": argument.units[0] if uniform else list(argument.units),
        **columns,
    }


def _verified(package: Package, kernel: Kernel) -> dict[str, Any] | str:
    proof = package.proof
    if proof is None:
        return "not verified"
    compared = {"states": proof.states, "seed": proof.seed, "within": proof.within}
    if kernel.references:
        return {**compared, "references": list(kernel.references)}
    return {
        **compared,
        "through": [each.function for each in package.kernels if each.references],
    }  # the ones that call it


def _json(value: dict[str, Any]) -> str:
    """JSON, indented, with short lists and objects on one line."""

    def flat(match: re.Match[str]) -> str:
        line = re.sub(r"\n\s*", " ", match[0])
        return f"{line[0]}{line[1:-1].strip()}{line[-1]}" if len(line) <= _WIDTH else match[0]

    # Strings in JSON contain no line ends, so that only the white space between values is ever changed.
    return re.sub(r"[\[{]\n[^\[\]{}]*\n\s*[\]}]", flat, json.dumps(value, indent=2)) + "\n"
