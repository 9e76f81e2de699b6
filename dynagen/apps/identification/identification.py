"""`dynagen.identify`: estimated parameters of a robot from logs, with predicted joint forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    check_filtering,
    check_forces,
    check_log,
    find_still_joints,
)
from dynagen.apps.identification.filtering import Cutoff, Filtering, choose_cutoff, filter_log
from dynagen.apps.identification.logs import Log, LogFormat, make_log_format, read_log
from dynagen.apps.identification.predictions import Prediction, predict
from dynagen.apps.identification.regression import (
    DEFAULT_LAWS,
    LAWS,
    RegressionModel,
    regression_model,
    require_fixed_base,
)
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.uncertainty import Judgement, judge
from dynagen.errors import UsageError
from dynagen.robot.description import Friction, RobotDescription
from dynagen.robot.options import ReadingKeywords, make_reading_options
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.stages import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

AnyLog = str | Path | Log

_SIGNIFICANT = 2.0  # standard deviations from zero


@dataclass(frozen=True)
class PreparedLog:
    """Filtered log of a robot's motion and joint forces.

    Attributes:
        samples: filtered samples.
        filtering: facts about the filtering, such as the cut-off frequency.
        faults: faults found in the log; none of them stopped the identification.
    """

    samples: Samples
    filtering: Filtering
    faults: tuple[LogFault, ...]


@dataclass(frozen=True)
class Identification:
    """Identified parameters of a robot, with the logs and the predicted joint forces.

    Attributes:
        robot: the robot as described.
        judgement: the estimated parameters, their uncertainty, and the dropped parameters.
        logs: the filtered logs from which the parameters were estimated.
        fit: measured and predicted joint forces of `logs`.
        validation: measured and predicted joint forces of the logs for validation.
        faults: faults found in the logs; none of them stopped the identification.
    """

    robot: RobotDescription
    judgement: Judgement
    logs: tuple[PreparedLog, ...]
    fit: tuple[Prediction, ...]
    validation: tuple[Prediction, ...]
    faults: tuple[LogFault, ...]

    @property
    def full_model(self) -> RegressionModel:
        """Regressor of all inertial and friction parameters, including dropped parameters."""
        return self.judgement.seen.model

    @property
    def observations(self) -> Observations:
        """Input of the estimator: regressor of the estimated parameters, samples and QR factors."""
        return self.judgement.observations

    @property
    def model(self) -> RegressionModel:
        """Regressor of the estimated parameters, without dropped parameters."""
        return self.observations.model

    @property
    def estimate(self) -> Estimate:
        """Estimated parameters, with the covariance for residuals that are correlated over time."""
        return self.judgement.estimate

    def identify_by(self, estimator: str) -> Identification:
        """Identify the robot again from the same logs, with another estimator.

        The rule for dropping insignificant parameters is unchanged.

        Args:
            estimator: name of the estimator, such as `robust`, as for `identify`.
        """
        judgement = judge(find_estimator(estimator), self.judgement.seen, self.judgement.essential)
        fit, validation = (
            _predict_all(judgement, [prediction.samples for prediction in predictions])
            for predictions in (self.fit, self.validation)
        )
        return replace(self, judgement=judgement, fit=fit, validation=validation)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether each estimated parameter is more than two standard deviations away from zero.

        The array has an entry for each parameter in `estimate`, False if the logs do not determine
        it.
        """
        free = ~np.isin(np.arange(len(self.estimate.values)), self.estimate.held)
        return free & (np.abs(self.estimate.values) > _SIGNIFICANT * self.estimate.deviations)


def identify(
    robot: AnyRobot | RegressionModel,
    logs: AnyLog | Sequence[AnyLog],
    *,
    columns: str | Mapping[str, Any] | Path | None = None,
    gains: Sequence[float] | None = None,
    rows: str | None = None,
    degrees: bool | None = None,
    time_unit: str | None = None,
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
        robot: path of a file, name of a bundled robot, or a `RobotDescription`. The described
            masses, inertias and friction may be guesses. With a RegressionModel (from
            `regression_model`), several identifications can use one compiled regressor.
        logs: one or more files (CSV, Parquet, npz) or `Log` objects; `:first:last` after a file
            name selects rows, counted from 0; the row `last` is excluded.
        columns: columns of the logs by quantity: text such as `time=0,q=1:7,qd=7:13,current=13:19`,
            a mapping with this content, or a file with the mapping. None: columns named t, q1, ...,
            qd1, ..., tau1, ...
        gains: force per ampere of motor current, N m/A or N/A, one per joint; None if the logs
            contain joint forces.
        rows: rows to use in logs without their own range, such as `354:5090`.
        degrees: whether angles are in degrees and angular velocities in degrees/s.
        time_unit: unit of the times: s, ms, us or ns; None: the unit at the end of the column's
            name (`time_ms`), or s without it.
        validate: logs for validation, which are not used for the estimate.
        friction: friction laws of all joints: viscous, coulomb, asymmetric, offset, stribeck, load.
            Not allowed with a RegressionModel, which has its own laws.
        estimator: weighted, ordinary, robust, instrumental, total, physical or physical-euclidean;
            `estimation.ESTIMATORS` explains them.
        essential: rule for dropping insignificant parameters: test (F test at 5 %) or contribution
            (less than 1 % of the largest force); None keeps all.
        cutoff: cut-off frequency of the low-pass filter in Hz; None to choose it from the spectra.
        despite_faults: True to continue despite faults that make the result wrong.
        progress: called at the start of each stage, with its name and None.
        options: options for reading the robot, as for `dynagen.load_robot`.

    Raises:
        UsageError: invalid input; faults of logs are reported by file and column.
        ToolchainError: scipy is not installed, or pyarrow for Parquet.
        DynagenError: the regressor cannot be generated, compiled or proved.
    """
    form = make_log_format(columns, gains, rows, degrees, time_unit)
    run_estimator = find_estimator(estimator)
    if isinstance(robot, RegressionModel):
        if tuple(friction) != DEFAULT_LAWS or options:
            raise UsageError(
                "expected no `friction` or options next to a RegressionModel: pass them to "
                "regression_model"
            )
        described = robot.robot
    else:
        described = as_description(robot, make_reading_options(**options))
    require_fixed_base(described, with_loops=True)
    read = [_read_checked(log, described, form, despite_faults) for log in _as_sequence(logs)]
    held_out = [
        _read_checked(log, described, form, despite_faults) for log in _as_sequence(validate)
    ]
    if not read:
        raise UsageError("expected at least one log")
    progress("compiling", None)
    model = robot if isinstance(robot, RegressionModel) else regression_model(described, friction)
    progress("filtering", None)
    filtered_at = choose_cutoff([log for log, _ in read]) if cutoff is None else Cutoff(cutoff)
    model = model.filter(filtered_at.frequency)
    prepared = tuple(_prepare(model, *log, filtered_at, despite_faults) for log in read)
    progress("estimating", None)
    observations = observe(model, tuple(log.samples for log in prepared))
    # Held-out logs are checked with the fitted friction shape.
    model, judgement = observations.model, judge(run_estimator, observations, essential)
    checked = [_prepare(model, *log, filtered_at, despite_faults) for log in held_out]
    return Identification(
        described,
        judgement,
        prepared,
        _predict_all(judgement, [log.samples for log in prepared]),
        _predict_all(judgement, [log.samples for log in checked]),
        (
            *_list_motor_faults(described),
            *_list_friction_faults(described, model.laws),
            *(fault for log in (*prepared, *checked) for fault in log.faults),
        ),
    )


def _list_motor_faults(robot: RobotDescription) -> Iterator[LogFault]:
    """Yield a warning for elastic joints and coupled motors, which the regressor does not model."""
    elastic = [link.joint_name for link in robot.links if link.elasticity is not None]
    if elastic:
        yield LogFault(
            robot.name,
            "",
            f"elastic joints ({', '.join(elastic)}) are identified as rigid: log a motion far "
            "below the lowest resonance, about sqrt(stiffness / inertia)",
            stops=False,
        )
    for motors in robot.couplings:
        yield LogFault(
            robot.name,
            "",
            f"the coupled motors of {', '.join(motors.links)} couple the accelerations of these "
            "joints, and this inertia of the motors is not identified: subtract the joint forces "
            "that "
            "it causes from the logged forces (docs/coupled_motors.md)",
            stops=False,
        )


def _list_friction_faults(robot: RobotDescription, laws: Sequence[str]) -> Iterator[LogFault]:
    """Yield a warning for each friction law of the description that the model leaves out.

    Args:
        robot: the described robot.
        laws: the friction laws of the model.
    """
    described = {
        link.joint_name: _list_described_laws(link.friction)
        for link in robot.links
        if link.friction is not None
    }
    for law in LAWS:
        joints = [joint for joint, found in described.items() if law in found]
        # The law `asymmetric` contains Coulomb friction and an offset.
        is_contained = law in laws or (law in ("coulomb", "offset") and "asymmetric" in laws)
        if joints and not is_contained:
            yield LogFault(
                robot.name,
                "",
                f"the described {law} friction ({', '.join(joints)}) is not part of the model, "
                "neither of the identified nor of the described robot: to include it, add "
                f"{law} to --friction",
                stops=False,
            )


def _list_described_laws(friction: Friction) -> tuple[str, ...]:
    """Return the names of the friction laws (`LAWS`) that a described friction contains."""
    contained = {
        "viscous": friction.viscous,
        "coulomb": friction.coulomb,
        "asymmetric": friction.coulomb_negative not in (None, friction.coulomb),
        "offset": friction.offset,
        "stribeck": friction.stribeck,
        "load": friction.depends_on_load,
    }
    return tuple(law for law in LAWS if contained[law])


def _predict_all(judgement: Judgement, logs: Sequence[Samples]) -> tuple[Prediction, ...]:
    kept, values, every = (
        judgement.observations.model,
        judgement.estimate.values,
        judgement.seen.model,
    )
    return tuple(predict(kept, values, every, samples) for samples in logs)


def _as_sequence(logs: AnyLog | Sequence[AnyLog]) -> Sequence[AnyLog]:
    return [logs] if isinstance(logs, str | Path | Log) else logs


def _read_checked(
    log: AnyLog, robot: RobotDescription, form: LogFormat, despite: bool
) -> tuple[Log, tuple[LogFault, ...]]:
    read = log if isinstance(log, Log) else read_log(log, robot, form)
    return read, _refuse_stopping(check_log(read, robot), despite)


def _prepare(
    model: RegressionModel, log: Log, faults: tuple[LogFault, ...], cutoff: Cutoff, despite: bool
) -> PreparedLog:
    """Filter a log, set the velocities of joints at rest to zero, and check the forces."""
    samples, filtering = filter_log(log, cutoff)
    still = find_still_joints(log)
    if still.any():
        q = np.where(still, samples.q.mean(axis=0), samples.q)
        samples = replace(
            samples, q=q, qd=np.where(still, 0.0, samples.qd), qdd=np.where(still, 0.0, samples.qdd)
        )
    found = _refuse_stopping(check_forces(model, samples, log.names["tau"]), despite)
    return PreparedLog(samples, filtering, (*faults, *check_filtering(log, filtering), *found))


def _refuse_stopping(faults: tuple[LogFault, ...], despite: bool) -> tuple[LogFault, ...]:
    """Return the faults; raise an error with the faults that stop the identification, if any.

    If `despite` is true, no error is raised.
    """
    stopping = [str(fault) for fault in faults if fault.stops]
    if stopping and not despite:
        raise UsageError("\n".join(stopping) + "\n(--despite-faults identifies anyway)")
    return faults
