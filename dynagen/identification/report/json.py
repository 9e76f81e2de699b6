"""Identification -> the object that `--report json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynagen.identification.identification import Identification, PreparedLog
from dynagen.identification.prediction import Prediction


def identification_json(found: Identification, written: Identification | None = None) -> dict[str, Any]:
    """Everything of an identification but its samples, of numbers and text that JSON knows.

    Args:
        found: the identification.
        written: what a description was written of, if one was.
    """
    estimate, significant, deviations = found.estimate, found.significant, found.judgement.deviations
    parameters = [
        {
            "name": each.name,
            "value": float(value),
            "deviation": None if place in estimate.held else float(deviation),
            "significant": bool(significant[place]),
            "described": each.described,
            "unit": each.unit,
        }
        for place, (each, value, deviation) in enumerate(
            zip(estimate.parameters, estimate.values, estimate.deviations, strict=True)
        )
    ]
    return {
        "robot": found.robot.name,
        "estimator": estimate.estimator,
        "friction": list(found.model.laws),
        "parameters": parameters,
        "dropped": [
            {"name": found.every.parameters[each.index].name, "reason": each.reason} for each in found.judgement.dropped
        ],
        "condition": deviations.condition,
        "condition_scaled": deviations.condition_scaled,
        "correlated": [{"names": [one, other], "correlation": value} for one, other, value in deviations.correlated],
        "autocorrelation_time": deviations.times.tolist(),
        "held": [estimate.parameters[place].name for place in estimate.held],
        "joint_deviation": [float(each) if np.isfinite(each) else None for each in estimate.joint_deviation],
        "logs": [_log(log) for log in found.logs],
        "fit": _residuals(found.fit),
        "validation": _residuals(found.validation),
        "written": written
        and {
            "estimator": written.estimate.estimator,
            "fit": _residuals(written.fit),
            "validation": _residuals(written.validation),
        },
        "faults": [str(fault) for fault in found.faults],
    }


def _log(log: PreparedLog) -> dict[str, Any]:
    filtering = log.filtering
    return {
        "source": log.samples.source,
        "samples": len(log.samples),
        "rate": filtering.rate,
        "cutoff": filtering.cutoff.frequency,
        "bandwidth": filtering.cutoff.bandwidth,
        "trimmed": filtering.trimmed,
        "pieces": filtering.pieces,
        "standing": list(filtering.standing),
        "saturated": list(filtering.saturated),
    }


def _residuals(predictions: Sequence[Prediction]) -> dict[str, Any] | None:
    """Of all logs as one: norm of the residual by norm of the measured force, in percent, by joint; None without logs."""
    if not predictions:
        return None
    left = np.concatenate([each.residual for each in predictions])
    measured = np.concatenate([each.samples.tau for each in predictions])
    described = measured - np.concatenate([each.described for each in predictions])
    norms = np.linalg.norm(measured, axis=0)
    scale = np.where(norms > 0, norms, np.inf)
    return {
        "logs": [each.samples.source for each in predictions],
        "relative_residual_percent": (100 * np.linalg.norm(left, axis=0) / scale).tolist(),
        "described_relative_residual_percent": (100 * np.linalg.norm(described, axis=0) / scale).tolist(),
    }
