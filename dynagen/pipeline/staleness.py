"""A folder on disk and the manifest that it would have now -> why it is stale, for the user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dynagen.codegen.targets.manifest import MANIFEST
from dynagen.options import option_words, recorded
from dynagen.pipeline.settings import Settings
from dynagen.robot.names import identifier


def reasons(folder: Path, manifest: str) -> tuple[str, ...]:
    """The differences, in clauses, between what a folder was written from and what there is now; none if it is not stale.

    Args:
        folder: what an earlier run has written.
        manifest: that would be written there now.
    """
    if not folder.is_dir():
        return ("there is no such folder",)
    found = sorted(folder.glob(f"*{MANIFEST}"))
    if len(found) != 1:
        return (
            "it has no manifest of dynagen"
            if not found
            else f"it has {len(found)} manifests of dynagen",
        )
    try:
        return tuple(_differences(json.loads(found[0].read_bytes()), json.loads(manifest)))
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ):  # edited, or of another version
        return (f"{found[0].name} is not a manifest that this version of dynagen can read",)


def _differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    found = []
    if old["robot"] != new["robot"]:
        found.append(f"it is of the robot {old['robot']}, not of {new['robot']}")
    elif old["input_sha256"] != new["input_sha256"]:
        found.append(f"{new['input']} has changed since")
    if old["dynagen"] != new["dynagen"]:
        found.append(f"it was written by dynagen {old['dynagen']}, and this is {new['dynagen']}")
    before, now = _options(old), _options(new)
    differing = [name for name in now if before[name] != now[name]]
    was, would = (
        " ".join(filter(None, (options[name] for name in differing))) for options in (before, now)
    )
    if was:
        found.append(
            f"it was written with `{was}`" + (f", and this is with `{would}`" if would else "")
        )
    elif would:
        found.append(f"it was written without `{would}`")
    return found


def _options(manifest: dict[str, Any]) -> dict[str, str]:
    """The options of a run, as on the command line."""
    kernels = [kernel for kernel in manifest["kernels"].values() if kernel["request"]]
    proof = kernels[0]["verified"]
    (prefix,) = (
        path.removesuffix(MANIFEST) for path in manifest["files"] if path.endswith(MANIFEST)
    )
    return {
        "function": " ".join(f"-f {kernel['request']}" for kernel in kernels),
        "language": f"--lang {manifest['language']}",
        "prefix": f"--prefix {prefix}" if prefix != identifier(manifest["robot"]) else "",
        "real": f"--real {manifest['real']}",
        **{
            name: option_words({name: manifest[name]}) if name in manifest else ""
            for name in recorded(Settings)
        },
        "reading": option_words(manifest.get("reading", {})),
        "verify": f"--states {proof['states']} --seed {proof['seed']}"
        if isinstance(proof, dict)
        else "--no-verify",
    }
