"""Generation -> JSON: the manifest with measured errors, pass counts and times added."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynagen.generation import Generation
from dynagen.optimize.compilation import CompiledFunction
from dynagen.report.constants import Explanation
from dynagen.report.costs import kernel_costs
from dynagen.report.rounding import Rounding
from dynagen.verification.comparison import KernelProof


def generation_json(
    generation: Generation,
    folder: Path | None,
    roundings: Mapping[str, Rounding],
    explanation: Explanation | None,
) -> str:
    """The report of `--report json`, one object; `measured` differs from machine to machine, all else does not."""
    manifest: dict[str, Any] = json.loads(generation.manifest.text)
    for function in generation.functions:
        costs = [asdict(cost) for cost in kernel_costs(generation, function)]
        manifest["kernels"][function.name]["measured"] = {
            **_measured(function, generation.proofs.get(function.name), roundings.get(function.name)),
            "costs": costs,
        }
    if explanation is not None:
        manifest["constants"] = asdict(explanation)
    manifest["notes"] = list(generation.notes)
    manifest["folder"] = None if folder is None else str(folder)
    manifest["seconds"] = {stage: round(seconds, 6) for stage, seconds in generation.seconds.items()}
    return json.dumps(manifest, indent=2)


def _measured(function: CompiledFunction, proof: KernelProof | None, rounding: Rounding | None) -> dict[str, Any]:
    return {
        "worst_errors": {} if proof is None else {item.reference: item.worst_error for item in proof.comparisons},
        "methods": {method: operations.as_dict() for method, operations in function.considered if method},
        "worst": None if proof is None else asdict(proof.worst),
        "rounding": None if rounding is None else rounding.as_dict(),
        "passes": [asdict(record) for record in function.passes],
    }
