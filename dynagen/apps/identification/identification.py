"""`dynagen.identify`: a robot and logs of it -> its parameters, and how well they predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.identification.estimation import (
    DEFAULT_ESTIMATOR,
    Observations,
    find_estimator,
    observe,
)
from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.faults import (
    LogFault,
    faults_of_filtering,
    faults_of_forces,
    faults_of_log,
    still_joints,
)
from dynagen.apps.identification.filtering import Cutoff, Filtering, choose_cutoff, filter_log
from dynagen.apps.identification.logs import Log, LogFormat, log_format, read_log
from dynagen.apps.identification.regression import (
    DEFAULT_LAWS,
    Prediction,
    RegressionModel,
    predict,
    regression_model,
    require_fixed_base,
)
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.uncertainty import Judgement, judge
from dynagen.errors import UsageError
from dynagen.robot.description import RobotDescription
from dynagen.robot.options import ReadingKeywords, reading_options
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.stages import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

AnyLog = str | Path | Log

_SIGNIFICANT = 2.0


@dataclass(frozen=True)
class PreparedLog:
    """A log that is ready for the regressor.

    Attributes:
        filtering: what was done to it.
        faults: that did not stop it.
    """

    samples: Samples
    filtering: Filtering
    faults: tuple[LogFault, ...]


@dataclass(frozen=True)
class Identification:
    """Identified parameters, with all that they were found from.

    Attributes:
        robot: as it was described.
        judgement: the estimate, how certain it is, and what was left out.
        logs: that they were identified from.
        fit: the forces of these logs as the parameters give them.
        validation: likewise of logs that were held out.
        faults: of all logs that did not stop them.
    """

    robot: RobotDescription
    judgement: Judgement
    logs: tuple[PreparedLog, ...]
    fit: tuple[Prediction, ...]
    validation: tuple[Prediction, ...]
    faults: tuple[LogFault, ...]

    @property
    def every(self) -> RegressionModel:
        """The regressor of all parameters, those among them that were left out."""
        return self.judgement.seen.model

    @property
    def observations(self) -> Observations:
        """The regressor with the estimate's parameters, and what it was fitted to."""
        return self.judgement.observations

    @property
    def model(self) -> RegressionModel:
        """The regressor with the estimate's parameters."""
        return self.observations.model

    @property
    def estimate(self) -> Estimate:
        """The parameters, with the covariance that coloured residuals leave."""
        return self.judgement.estimate

    def by(self, estimator: str) -> Identification:
        """The same logs by another estimator, parameters left out by the same rule."""
        judgement = judge(find_estimator(estimator), self.judgement.seen, self.judgement.essential)
        fit, validation = (
            _predicted(judgement, [each.samples for each in logs])
            for logs in (self.fit, self.validation)
        )
        return replace(self, judgement=judgement, fit=fit, validation=validation)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Parameters that are more than two deviations from zero, shape (p,)."""
        told = ~np.isin(np.arange(len(self.estimate.values)), self.estimate.held)
        return told & (np.abs(self.estimate.values) > _SIGNIFICANT * self.estimate.deviations)


def identify(
    robot: AnyRobot | RegressionModel,
    logs: AnyLog | Sequence[AnyLog],
    *,
    columns: str | Mapping[str, Any] | Path | None = None,
    gains: Sequence[float] | None = None,
    rows: str | None = None,
    degrees: bool | None = None,
    validate: AnyLog | Sequence[AnyLog] = (),
    friction: Sequence[str] = DEFAULT_LAWS,
    estimator: str = DEFAULT_ESTIMATOR,
    essential: str | None = None,
    cutoff: float | None = None,
    despite_faults: bool = False,
    progress: Progress = lambda stage, done: None,
    **options: Unpack[ReadingKeywords],
) -> Identification:
    """Identify the parameters of a robot from logs of its motion and joint forces.

    Args:
        robot: a description, or what `load_robot` takes; masses, inertias and friction in it may be guesses. Or a
            RegressionModel (`regression_model`), so that many identifications compile and prove one regressor once.
        logs: files (CSV, Parquet, npz), with `:first:last` behind the name for some of their rows, or Logs.
        columns: which columns hold what, as `time=0,q=1:7,qd=7:13,current=13:19`, a mapping of the same, or a file of either;
            left out: t, q1, ..., qd1, ..., tau1, ...
        gains: of motor currents, N m/A or N/A, one a joint.
        rows: of every log that does not say its own, as `354:5090`.
        degrees: whether angles are in degrees.
        validate: logs that are held out, on which the parameters are tried.
        friction: its laws: viscous, coulomb, asymmetric, offset, stribeck, load. Not for a RegressionModel, which has its own.
        estimator: its name (`estimation.ESTIMATORS`).
        essential: by which rule parameters that forces do not need are left out (`judgement.ESSENTIAL`); None keeps all.
        cutoff: of the low-pass that all logs go through, Hz; None: from the spectra of the logs.
        despite_faults: whether to go on where a log has a fault that should stop it.
        progress: told the stages.
        options: of `load_robot`.

    Raises:
        UsageError: bad input; faults of logs are named by file and column.
        ToolchainError: scipy is missing, or pyarrow for Parquet.
        DynagenError: as `compile`.
    """
    form, act = log_format(columns, gains, rows, degrees), find_estimator(estimator)
    if isinstance(robot, RegressionModel):
        if tuple(friction) != DEFAULT_LAWS or options:
            raise UsageError(
                "a regression model has its friction and options: give them to regression_model"
            )
        described = robot.robot
    else:
        described = as_description(robot, reading_options(**options))
    require_fixed_base(described)
    read = [_read(each, described, form, despite_faults) for each in _several(logs)]
    held_out = [_read(each, described, form, despite_faults) for each in _several(validate)]
    if not read:
        raise UsageError("expected a log at least")
    progress("compiling", None)
    model = robot if isinstance(robot, RegressionModel) else regression_model(described, friction)
    progress("filtering", None)
    filtered_at = choose_cutoff([log for log, _ in read]) if cutoff is None else Cutoff(cutoff)
    model = model.filtered(filtered_at.frequency)
    prepared = tuple(_prepared(model, *each, filtered_at, despite_faults) for each in read)
    progress("estimating", None)
    seen = observe(model, tuple(each.samples for each in prepared))
    model, judgement = seen.model, judge(act, seen, essential)
    checked = [_prepared(model, *each, filtered_at, despite_faults) for each in held_out]
    return Identification(
        described,
        judgement,
        prepared,
        _predicted(judgement, [each.samples for each in prepared]),
        _predicted(judgement, [each.samples for each in checked]),
        tuple(fault for each in (*prepared, *checked) for fault in each.faults),
    )


def _predicted(judgement: Judgement, logs: Sequence[Samples]) -> tuple[Prediction, ...]:
    kept, values, every = (
        judgement.observations.model,
        judgement.estimate.values,
        judgement.seen.model,
    )
    return tuple(predict(kept, values, every, samples) for samples in logs)


def _several(logs: AnyLog | Sequence[AnyLog]) -> Sequence[AnyLog]:
    return [logs] if isinstance(logs, str | Path | Log) else logs


def _read(
    log: AnyLog, robot: RobotDescription, form: LogFormat, despite: bool
) -> tuple[Log, tuple[LogFault, ...]]:
    read = log if isinstance(log, Log) else read_log(log, robot, form)
    return read, _unless_stopped(faults_of_log(read, robot), despite)


def _prepared(
    model: RegressionModel, log: Log, faults: tuple[LogFault, ...], cutoff: Cutoff, despite: bool
) -> PreparedLog:
    """A log that is filtered, with joints that do not move at rest, and its forces judged."""
    samples, filtering = filter_log(log, cutoff)
    still = still_joints(log)
    if still.any():
        q = np.where(still, samples.q.mean(axis=0), samples.q)
        samples = replace(
            samples, q=q, qd=np.where(still, 0.0, samples.qd), qdd=np.where(still, 0.0, samples.qdd)
        )
    found = _unless_stopped(faults_of_forces(model, samples, log.names["tau"]), despite)
    return PreparedLog(samples, filtering, (*faults, *faults_of_filtering(log, filtering), *found))


def _unless_stopped(faults: tuple[LogFault, ...], despite: bool) -> tuple[LogFault, ...]:
    """The faults, if none of them stops a log.

    Raises:
        UsageError: one does; names all that do.
    """
    stopping = [str(fault) for fault in faults if fault.stops]
    if stopping and not despite:
        raise UsageError("\n".join(stopping) + "\n(--despite-faults identifies all the same)")
    return faults
