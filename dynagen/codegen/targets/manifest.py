"""Manifest of a delivered folder: the JSON file that describes its kernels to programs.

The function `add_manifest` writes the manifest of a delivery, and `read_folder` reads it. The next
run reads the manifest to find the files of the folder that the run may replace.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dynagen.codegen.language import Language
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Joint, Kernel, MimicJoint, Package, SourceFile
from dynagen.codegen.routine import (
    Cores,
    Routine,
    make_cores_routine,
    make_lane_routine,
    name_batch_kernel,
    name_core_function,
    name_cores_kernel,
)
from dynagen.codegen.size import COMPILER, measure_kernel_size
from dynagen.errors import UsageError
from dynagen.ir.program import STATUS, Argument, Signature
from dynagen.numbers.real import Real, find_real
from dynagen.options import Option, list_recorded_options, make
from dynagen.robot.options import ReadingOptions

SCHEMA = 1
MANIFEST = ".manifest.json"
"""Ending of a manifest's file name, after the prefix."""

_WIDTH = 100


def name_manifest(package: Package) -> str:
    """Return `<prefix>.manifest.json`, the file name of the manifest, which describes a folder."""
    return f"{package.prefix}{MANIFEST}"


def name_footprint_file(prefix: str) -> str:
    """Return `<prefix>.footprint.json`, the name of the file with measured code size and stack.

    The manifest does not list the file of measured sizes.
    """
    return f"{prefix}.footprint.json"


def add_manifest(
    package: Package, language: Language, files: Sequence[SourceFile]
) -> tuple[SourceFile, ...]:
    """Return the files of a package, followed by its manifest, which lists all files and itself."""
    # The next run replaces exactly the listed files.
    paths = [*(file.path for file in files), name_manifest(package)]
    return (*files, SourceFile(name_manifest(package), _json(describe(package, language, paths))))


def print_library_manifest(
    package: Package, language: Language, paths: Sequence[str], content: Mapping[str, Any]
) -> SourceFile:
    """Return the manifest of a folder with a compiled library.

    The functions of the library have other arguments than the kernels, and `content` describes the
    functions. The entries of the kernels in this manifest contain no file and no symbol.

    Args:
        package: kernels that the functions of the library call.
        language: language of the source.
        paths: all other files of the folder.
        content: further entries of the manifest, by their keys.
    """
    path = name_manifest(package)
    description = describe(package, language, ()) | {**content, "files": sorted([*paths, path])}
    return SourceFile(path, _json(description))


def check_path(path: str) -> PurePosixPath:
    """Return a relative path with forward slashes after checking that it stays inside the folder.

    Raises:
        ValueError: the path leaves the folder, or contains a backslash, a colon or a null
            character.
    """
    # A manifest may come from another machine: also reject paths of Windows.
    pure = PurePosixPath(path)
    if (
        pure.is_absolute()
        or not pure.parts
        or ".." in pure.parts
        or "\\" in path
        or ":" in path
        or "\0" in path
    ):
        raise ValueError(f"expected a path inside the folder, found {path!r}")
    return pure


def describe(package: Package, language: Language, paths: Collection[str]) -> dict[str, Any]:
    """Return the content of a manifest, by keys: robot, joints, kernels, parameters and files.

    Args:
        package: delivered kernels.
        language: language of the kernels.
        paths: all delivered files. The source file of a kernel is listed only if it is delivered.
    """
    return {
        "schema": SCHEMA,
        "dynagen": package.version,
        "robot": package.robot,
        "input": package.input_name,
        "input_sha256": package.input_sha256,
        "language": language.name,
        "real": package.real.name,
        "layout": language.layout,
        # Options at their defaults are left out: an absent key means the default.
        **package.choices,
        # Without a floating base nq and nv equal the number of joints.
        **({"nq": package.nq, "nv": package.nv} if package.nq > package.nv else {}),
        "joints": [_joint(joint) for joint in package.joints],
        **({"mimic_joints": [_mimic(mimic) for mimic in package.mimics]} if package.mimics else {}),
        "rule": package.proof.rule if package.proof else "",
        "kernels": {
            kernel.function: _kernel(package, language, kernel, paths) for kernel in package.kernels
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
    """Return the manifest's entry of a joint: name, link, type and units."""
    # In YAML joints have the names of their links; in URDF they have their own.
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
    """Return the manifest's entry of a mimicking joint: joint to follow, ratio and offset."""
    return {
        **_joint(mimic.joint),
        "follows": mimic.follows,
        "ratio": mimic.ratio,
        "offset": mimic.offset,
    }


def _kernel(
    package: Package, language: Language, kernel: Kernel, paths: Collection[str]
) -> dict[str, Any]:
    """Return the manifest's entry of a kernel: file, symbol, arguments, operations and proof.

    The file is listed only if it is one of the delivered `paths`.
    """
    path = language.kernel_path(package, kernel)
    source = {
        "file": path,
        "symbol": language.symbol(package.prefix, kernel.function),
        **_batch(package, language, kernel),
        **_cores(package, language, kernel),
    }
    return {
        "request": kernel.request,
        **(source if path in paths else {}),
        "arguments": [
            *(_argument(argument, "in") for argument in kernel.program.inputs),
            *(_argument(output.argument, "out") for output in kernel.program.results),
        ],
        **({"status": True} if kernel.program.can_fail else {}),
        "formulation": list(kernel.notes),
        "operations": kernel.operations.as_dict(),
        **({"size": _size(package, kernel)} if language.is_sized else {}),
        "verified": _describe_proof(package, kernel),
    }


def _batch(package: Package, language: Language, kernel: Kernel) -> dict[str, Any]:
    """Return the file and symbol of a kernel's batch kernel; empty without a batch kernel.

    In the arrays of a batch kernel, element j of state i has the index j*stride + i.
    """
    path = language.batch_path(package, kernel) if language.batch_path else ""
    symbol = name_batch_kernel(language.symbol(package.prefix, kernel.function))
    return {"batch": {"file": path, "symbol": symbol}} if path else {}


def _cores(package: Package, language: Language, kernel: Kernel) -> dict[str, Any]:
    """Return the manifest's entry for a kernel on several cores; empty for one core.

    The entry names a function for each core, and the estimated times of a call.
    """
    partition = kernel.partition
    if partition is None or language.cores_path is None:
        return {}
    symbol = language.symbol(package.prefix, kernel.function)
    return {
        "cores": {
            "file": language.cores_path(package, kernel),
            "context": name_cores_kernel(symbol),
            "symbols": [name_core_function(symbol, core) for core in range(len(partition.cores))],
            "messages": len(partition.messages),
            "alone_ns": round(float(partition.alone), 1),
            "together_ns": round(float(partition.together), 1),
        }
    }


def _size(package: Package, kernel: Kernel) -> dict[str, Any]:
    """Return the manifest's entry for a kernel's size, with estimates for its compilation."""
    size = measure_kernel_size(package, kernel)
    expected = {"code_bytes": size.code, "stack_bytes": size.stack, "seconds": size.seconds}
    return {
        "statements": size.statements,
        "most_live_values": size.live,
        "segments": size.segments,
        "expected": {"of": COMPILER, **expected},
    }


def _argument(argument: Argument, direction: str) -> dict[str, Any]:
    """Return the manifest's entry of an argument; equal units of all elements become one unit."""
    # One unit in place of n equal ones keeps the file readable.
    uniform = len(set(argument.units)) == 1
    columns = {"columns": list(argument.columns)} if argument.columns else {}
    return {
        "name": argument.name,
        "direction": direction,
        "shape": list(argument.shape),
        "unit": argument.units[0] if uniform else list(argument.units),
        **columns,
    }


def _describe_proof(package: Package, kernel: Kernel) -> dict[str, Any] | str:
    """Return the manifest's entry for a kernel's proof, or the text `not verified`."""
    proof = package.proof
    if proof is None:
        return "not verified"
    compared = {"states": proof.states, "seed": proof.seed, "within": proof.within}
    if kernel.references:
        return {**compared, "references": list(kernel.references)}
    # Kernels without references of their own are proved through the kernels that use them.
    return {
        **compared,
        "through": [each.function for each in package.kernels if each.references],
    }


def _json(value: dict[str, Any]) -> str:
    """Return a value as indented JSON, with short lists and objects on one line."""

    def flat(match: re.Match[str]) -> str:
        line = re.sub(r"\n\s*", " ", match[0])
        return f"{line[0]}{line[1:-1].strip()}{line[-1]}" if len(line) <= _WIDTH else match[0]

    # Strings in JSON contain no line ends: only the white space between values changes.
    return re.sub(r"[\[{]\n[^\[\]{}]*\n\s*[\]}]", flat, json.dumps(value, indent=2)) + "\n"


@dataclass(frozen=True)
class DeliveredKernel:
    """A kernel in a delivered folder, as the manifest describes it.

    Attributes:
        request: name with which a user requests the function; empty for `prepare`.
        file: path of the kernel's file in the folder.
        symbol: name of the function in the code.
        signature: arguments for one state.
        batch_file: path of the file with the batch kernel; empty without batch kernel.
        cores_file: path of the file with the kernel on several cores; may be empty.
        cores: number of cores that compute a state together, and prefix of public names; None
            without a kernel on several cores.
    """

    request: str
    file: str
    symbol: str
    signature: Signature
    batch_file: str = ""
    cores_file: str = ""
    cores: Cores | None = None

    def iterate_routines(self) -> Iterator[Routine]:
        """Yield the functions to load: kernel, batch kernel, and kernel on several cores.

        A kind of function that was not delivered is left out.
        """
        kernel = Routine(self.symbol, self.signature)
        yield kernel
        if self.batch_file:
            yield make_lane_routine(kernel)
        if self.cores:
            yield make_cores_routine(kernel, self.cores)


@dataclass(frozen=True)
class DeliveredFolder:
    """A delivered folder, as its manifest describes it.

    Attributes:
        folder: path of the folder.
        robot: name of the robot.
        input_name: file name of the robot description.
        input_sha256: hash (SHA-256) of the description's bytes.
        language: language of the kernels.
        real: number type of the kernels.
        kernels: delivered kernels.
        files: paths of all delivered files.
        reading: options with which the description was read.
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

    def read_compiled_files(self) -> dict[str, str]:
        """Return the current text of the files to compile and of the files that they include.

        Returns:
            A mapping from a file's path in the folder to its text.

        Raises:
            UsageError: a file is missing or is not text.
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


def read_folder(folder: Path) -> DeliveredFolder:
    """Return the content of a delivered folder, as its manifest describes it.

    Raises:
        UsageError: the folder contains no manifest, several manifests, or a manifest that this
            version cannot read.
    """
    if folder.is_file():
        raise UsageError(
            f"{folder} is a file; expected a folder that dynagen has written. A delivery in one "
            "file is compared by `dynagen ROBOT --target NAME --stale`"
        )
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}; expected one that dynagen has written")
    paths = sorted(folder.glob(f"*{MANIFEST}"))
    # A folder holds one robot.
    if len(paths) != 1:
        found = "no manifest" if not paths else f"{len(paths)} manifests"
        raise UsageError(
            f"{folder} contains {found} of dynagen; expected a folder that dynagen has written"
        )
    try:
        content = json.loads(paths[0].read_bytes())
        if content["schema"] != SCHEMA:
            raise ValueError(f"schema {content['schema']!r}, expected {SCHEMA}")
        if "target" in content:  # the default target is not recorded
            target = f"--target {content['target']}"
            raise UsageError(
                f"{folder} was delivered by {target}; expected a folder of source code. "
                f"`dynagen ROBOT {target} --stale` compares the delivery with a new one"
            )
        return _delivered_folder(folder, content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{paths[0]} is not a manifest that this version of dynagen can read ({error!r})"
        ) from error


def _delivered_folder(folder: Path, content: dict[str, Any]) -> DeliveredFolder:
    """Return the delivery in `folder` that the parsed content of its manifest describes."""
    return DeliveredFolder(
        folder=folder,
        robot=str(content["robot"]),
        input_name=str(content["input"]),
        input_sha256=str(content["input_sha256"]),
        language=find_language(content["language"]),
        real=find_real(content["real"]),
        kernels=tuple(
            DeliveredKernel(
                str(kernel["request"]),
                str(check_path(kernel["file"])),
                _symbol(kernel["symbol"]),
                _signature(name, kernel["arguments"], bool(kernel.get("status"))),
                _file(kernel, "batch"),
                _file(kernel, "cores"),
                _read_cores(name, kernel) if "cores" in kernel else None,
            )
            for name, kernel in content["kernels"].items()
        ),
        files=tuple(str(check_path(path)) for path in content["files"]),
        reading=_reading(content.get("reading", {})),
    )


def _reading(recorded_options: dict[str, Any]) -> ReadingOptions:
    """Return the options with which the description was read, from the manifest's options."""
    given = {
        name: _restore_value(recorded_options.get(name.replace("_", "-")), option)
        for name, option in list_recorded_options(ReadingOptions).items()
    }
    return make(ReadingOptions, given)


def _restore_value(value: Any, option: Option) -> Any:
    """Convert an option's value in a manifest to the type that a run requires.

    The value becomes a number if the default is a number, else a text or a mapping of texts.
    """
    if value is None:
        return None
    if isinstance(value, dict):
        return {str(name): str(each) for name, each in value.items()}
    return type(option.default)(value) if isinstance(option.default, int | float) else str(value)


def _file(kernel: dict[str, Any], kind: str) -> str:
    """Return the path of the file for a kernel's batch kernel or kernel on several cores.

    `kernel` is the manifest's entry of the kernel, and `kind` the key "batch" or "cores". Without
    this key, the path is empty.
    """
    return str(check_path(kernel[kind]["file"])) if kind in kernel else ""


def _read_cores(function: str, kernel: dict[str, Any]) -> Cores:
    """Return number of cores and prefix of public names, from the manifest's entry of a kernel."""
    return Cores(
        len(kernel["cores"]["symbols"]), _symbol(kernel["symbol"]).removesuffix(f"_{function}")
    )


def _symbol(symbol: str) -> str:
    """Return a symbol unchanged, after a check that it is safe to put into source code.

    A safe symbol is an identifier, or two identifiers joined by `::`.
    """
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*(::[A-Za-z][A-Za-z0-9_]*)?", symbol):
        raise ValueError(f"expected an identifier, found {symbol!r}")
    return symbol


def _signature(name: str, arguments: list[dict[str, Any]], can_fail: bool) -> Signature:
    """Return the signature whose arguments a manifest lists."""
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
