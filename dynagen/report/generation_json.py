"""Generation -> JSON: the manifest with measured errors, pass counts and times added."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynagen.pipeline import GeneratedFunction, Generation
from dynagen.report.costs import kernel_costs


def generation_json(generation: Generation, folder: Path | None) -> str:
    """The report of `--report json`, one object; `measured` differs from machine to machine, all else does not."""
    manifest: dict[str, Any] = json.loads(generation.manifest.text)
    for function in generation.functions:
        costs = [asdict(cost) for cost in kernel_costs(generation, function)]
        manifest["kernels"][function.name]["measured"] = {**_measured(function), "costs": costs}
    manifest["notes"] = list(generation.notes)
    manifest["folder"] = None if folder is None else str(folder)
    manifest["seconds"] = {stage: round(seconds, 6) for stage, seconds in generation.seconds.items()}
    return json.dumps(manifest, indent=2)


def _measured(function: GeneratedFunction) -> dict[str, Any]:
    proof = function.proof
    return {
        "worst_errors": {} if proof is None else {item.reference: item.worst_error for item in proof.comparisons},
        "methods": {method: operations.as_dict() for method, operations in function.considered if method},
        "worst": None if proof is None else asdict(proof.worst),
        "passes": [asdict(record) for record in function.passes],
    }
