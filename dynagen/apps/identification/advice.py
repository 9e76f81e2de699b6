"""Advice on better settings for an identification, judged by held-out samples.

A trial estimates the parameters with other settings, and predicts the forces of the held-out
samples. The held-out samples are the logs of `--validate`, or the last part of each log. All trials
use the same samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.apps.identification.estimation import find_estimator, observe
from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.predictions import predict
from dynagen.apps.identification.regression import LAWS, check_laws
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.uncertainty import judge
from dynagen.errors import DynagenError, UsageError
from dynagen.numbers.arrays import Array
from dynagen.stages import Progress

_TRAINED = 0.7  # part of each log that trials estimate from if no log is held out
_GAIN = 0.02  # part of the residual that has to vanish for a setting to be advised
_ESTIMATORS = ("robust", "instrumental")


@dataclass(frozen=True)
class Settings:
    """Settings of one identification: friction laws, estimator and dropping rule.

    Attributes:
        laws: names of the friction laws of all joints.
        estimator: name of the estimator.
        essential: rule for dropping insignificant parameters, `test` or `contribution`; None keeps
            all parameters.
    """

    laws: tuple[str, ...]
    estimator: str
    essential: str | None

    def as_options(self, usual: Settings) -> str:
        """Return the command-line options for all settings that differ from `usual`.

        An example is `--friction viscous --estimator robust`. Without a difference, the text is
        empty.
        """
        words = []
        if self.laws != usual.laws:
            words.append(f"--friction {','.join(self.laws)}")
        if self.estimator != usual.estimator:
            words.append(f"--estimator {self.estimator}")
        if self.essential != usual.essential:
            words.append(f"--essential {self.essential}")
        return " ".join(words)


@dataclass(frozen=True)
class Trial:
    """Trial of settings for an identification, with the resulting residuals.

    Attributes:
        options: command-line options of the changed settings; empty if no setting is changed.
        residuals: for each of the n joints, the norm of measured minus predicted force in the
            held-out samples, in percent of the norm of the measured force, shape (n,).
        parameters: number of estimated parameters.
    """

    options: str
    residuals: Array
    parameters: int

    @property
    def mean(self) -> float:
        """Mean of `residuals` over the joints, in percent."""
        return float(self.residuals.mean())


@dataclass(frozen=True)
class Advice:
    """Results of all trials of identification settings.

    Attributes:
        joints: names of the joints.
        held_out: description of the held-out samples in words.
        usual: the trial with the unchanged settings of the identification.
        trials: the other trials, by ascending mean residual.
        failed: options of each trial that was not possible, with the reason.
    """

    joints: tuple[str, ...]
    held_out: str
    usual: Trial
    trials: tuple[Trial, ...]
    failed: tuple[tuple[str, str], ...]

    @property
    def helpful(self) -> tuple[Trial, ...]:
        """Trials with less than 0.98 times the mean residual of the present settings."""
        return tuple(trial for trial in self.trials if trial.mean < (1 - _GAIN) * self.usual.mean)

    def list_sentences(self) -> Iterator[str]:
        """Yield sentences on the residuals with the present settings, and with tried settings."""
        yield (
            f"Advice, from {len(self.trials)} trials: with the present options, "
            f"{_write(self.usual.mean)} % of the forces are unexplained in {self.held_out} "
            "(mean of joints):"
        )
        for trial in self.helpful:
            gains = self.usual.residuals - trial.residuals
            joint = int(np.argmax(gains))
            yield (
                f"- {trial.options}: {_write(trial.mean)} % unexplained with {trial.parameters} "
                f"parameters instead of {self.usual.parameters}; largest gain at "
                f"{self.joints[joint]}, from {_write(self.usual.residuals[joint])} to "
                f"{_write(trial.residuals[joint])} %."
            )
        others = [trial for trial in self.trials if trial not in self.helpful]
        if others:
            tried = "; ".join(f"{trial.options} ({_write(trial.mean)} %)" for trial in others)
            yield f"- No gain: {tried}."
        for options, reason in self.failed:
            yield f"- Not possible: {options}: {reason}."

    def as_dict(self) -> dict[str, Any]:
        """Return JSON data: description of the held-out samples, present residual, all trials."""
        return {
            "held_out": self.held_out,
            "mean_residual_percent": self.usual.mean,
            "trials": [
                {
                    "options": trial.options,
                    "mean_residual_percent": trial.mean,
                    "relative_residual_percent": trial.residuals.tolist(),
                    "parameters": trial.parameters,
                    "helps": trial in self.helpful,
                }
                for trial in self.trials
            ],
        }


def _write(percent: float) -> str:
    return f"{percent:.3g}"


def give_advice(found: Identification, progress: Progress = lambda stage, done: None) -> Advice:
    """Try other friction laws, estimators and dropping rules on the samples of an identification.

    Each trial changes one setting, and is judged by the residual of the held-out samples.

    Args:
        found: the identification, whose logs and settings are used.
        progress: called before each trial with the options to try.

    Returns:
        The results of all trials. Trials that raise an error are listed in `failed`.
    """
    train = tuple(log.samples for log in found.fit)
    if found.validation:
        test = tuple(log.samples for log in found.validation)
        held_out = "the held-out logs"
    else:
        cuts = [round(_TRAINED * len(samples)) for samples in train]
        test = tuple(samples[cut:] for samples, cut in zip(train, cuts, strict=True))
        train = tuple(samples[:cut] for samples, cut in zip(train, cuts, strict=True))
        held_out = f"the last {round(100 * (1 - _TRAINED))} % of each log"
    usual = Settings(found.model.laws, found.estimate.estimator, found.judgement.essential)

    def attempt(settings: Settings) -> Trial:
        options = settings.as_options(usual)
        progress(f"trying {options}" if options else "advising", None)
        return _try(found, settings, options, train, test)

    trials, failed = list[Trial](), list[tuple[str, str]]()
    first = attempt(usual)
    for settings in _list_settings(usual):
        try:
            trials.append(attempt(settings))
        except DynagenError as error:
            failed.append((settings.as_options(usual), str(error)))
    return Advice(
        tuple(link.joint_name for link in found.model.joints),
        held_out,
        first,
        tuple(sorted(trials, key=lambda trial: trial.mean)),
        tuple(failed),
    )


def _list_settings(usual: Settings) -> Iterator[Settings]:
    """Yield the settings to try, each with one change from the present settings `usual`."""
    for law in LAWS:
        try:
            laws = check_laws((*usual.laws, law))
        except UsageError:  # laws that exclude each other
            continue
        if laws != usual.laws:
            yield Settings(laws, usual.estimator, usual.essential)
    for estimator in _ESTIMATORS:
        if estimator != usual.estimator:
            yield Settings(usual.laws, estimator, usual.essential)
    if usual.essential is None:
        yield Settings(usual.laws, usual.estimator, "test")


def _try(
    found: Identification,
    settings: Settings,
    options: str,
    train: tuple[Samples, ...],
    test: tuple[Samples, ...],
) -> Trial:
    """Estimate parameters from the samples `train`; return the residuals of the samples `test`."""
    whole = found.full_model
    model = whole.with_friction(settings.laws)
    if whole.shape.cutoff is not None:
        model = model.filter(whole.shape.cutoff)
    seen = observe(model, train)
    judgement = judge(find_estimator(settings.estimator), seen, settings.essential)
    kept, values = judgement.observations.model, judgement.estimate.values
    predictions = [predict(kept, values, judgement.seen.model, samples) for samples in test]
    residual = np.concatenate([log.residual for log in predictions])
    force = np.concatenate([samples.tau for samples in test])
    norms = np.maximum(np.linalg.norm(force, axis=0), np.finfo(float).tiny)
    return Trial(options, np.asarray(100 * np.linalg.norm(residual, axis=0) / norms), len(values))
