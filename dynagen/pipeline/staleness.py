"""Reasons why a delivered folder is stale, for messages of `--stale`.

The manifest on disk is compared with the manifest that a new run would write.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dynagen.codegen.targets.manifest import MANIFEST
from dynagen.options import format_options, list_recorded_options
from dynagen.pipeline.settings import Settings
from dynagen.robot.names import make_identifier


def explain_staleness(folder: Path, manifest: str) -> tuple[str, ...]:
    """Explain why the files in a folder differ from the files that a new run would write.

    Returns:
        The reasons, each as a clause of a sentence; empty if the manifests agree.
    """
    if not folder.is_dir():
        return ("the folder does not exist",)
    found = sorted(folder.glob(f"*{MANIFEST}"))
    if len(found) != 1:
        return (
            "the folder contains no manifest of dynagen"
            if not found
            else f"the folder contains {len(found)} manifests of dynagen",
        )
    try:
        return tuple(_compare(json.loads(found[0].read_bytes()), json.loads(manifest)))
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ):  # edited, or of another version
        return (f"{found[0].name} is not a manifest that this version of dynagen can read",)


def _compare(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return differences in robot, input, version and options of two manifests, as sentences."""
    reasons = []
    if old["robot"] != new["robot"]:
        reasons.append(f"the code is for the robot {old['robot']}, not for {new['robot']}")
    elif old["input_sha256"] != new["input_sha256"]:
        reasons.append(f"{new['input']} has changed since the last run")
    if old["dynagen"] != new["dynagen"]:
        reasons.append(
            f"the code was written by dynagen {old['dynagen']}; this is dynagen {new['dynagen']}"
        )
    before, now = _command_line(old), _command_line(new)
    differing = [name for name in now if before[name] != now[name]]
    was, would = (
        " ".join(filter(None, (options[name] for name in differing))) for options in (before, now)
    )
    if was:
        reasons.append(
            f"the code was written with `{was}`" + (f", this run with `{would}`" if would else "")
        )
    elif would:
        reasons.append(f"the code was written without `{would}`")
    return reasons


def _command_line(manifest: dict[str, Any]) -> dict[str, str]:
    """Return the options in a manifest by name, as written on the command line."""
    kernels = [kernel for kernel in manifest["kernels"].values() if kernel["request"]]
    proof = kernels[0]["verified"]
    (prefix,) = (
        path.removesuffix(MANIFEST) for path in manifest["files"] if path.endswith(MANIFEST)
    )
    return {
        "function": " ".join(f"-f {kernel['request']}" for kernel in kernels),
        "language": f"--lang {manifest['language']}",
        "prefix": f"--prefix {prefix}" if prefix != make_identifier(manifest["robot"]) else "",
        "real": f"--real {manifest['real']}",
        **{
            name: format_options({name: manifest[name]}) if name in manifest else ""
            for name in list_recorded_options(Settings)
        },
        "reading": format_options(manifest.get("reading", {})),
        "verify": f"--states {proof['states']} --seed {proof['seed']}"
        if isinstance(proof, dict)
        else "--no-verify",
    }
