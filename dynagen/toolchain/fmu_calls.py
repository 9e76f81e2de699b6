"""Calls of a functional mock-up unit (FMI 3.0) with FMPy, in a process without dynagen.

The script `run_ufuncs.py` of that process uses this module. The FMU is called as by a simulation
tool with its own solver: states and inputs are set, and derivatives are returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi3 import FMU3Model
from fmpy.validation import validate_fmu

_OPEN: dict[str, FMU3Model] = {}


def make_call(entry: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """Return a function of numpy arrays that calls a functional mock-up unit (FMU).

    The function computes forward dynamics or friction forces. The first axis of each array is over
    states. The last result is the status code if the function can fail.

    Args:
        entry: description of the function, with the keys `path` (file of the unit), `name`
            (`friction_forces` or forward dynamics), `joints` (number of joints), `references`
            (value reference of each variable of the unit, by name), `has_friction` and `can_fail`
            (whether the status code is a result).

    Raises:
        ValueError: FMPy finds a fault in the unit.
    """
    if entry["path"] not in _OPEN:
        _OPEN[entry["path"]] = _open(entry["path"])
    unit, joints, references = _OPEN[entry["path"]], entry["joints"], entry["references"]

    def refer(name: str) -> list[int]:
        return [references[f"{name}[{joint + 1}]"] for joint in range(joints)]

    def set_velocities(q: Any, qd: Any) -> Any:
        unit.setContinuousStates(np.concatenate([q, qd]).ctypes.data_as(_DOUBLES), 2 * joints)
        return unit.getFloat64(refer("friction")) if entry["has_friction"] else np.zeros(joints)

    def compute_friction(qd: Any) -> tuple[Any, ...]:
        return (np.array(set_velocities(np.zeros(joints), qd)),)

    def compute_acceleration(q: Any, qd: Any, tau: Any) -> tuple[Any, ...]:
        # The unit subtracts friction, which the kernel does not have.
        unit.setFloat64(refer("tau"), list(tau + np.array(set_velocities(q, qd))))
        derivatives = np.empty(2 * joints)
        try:
            unit.getContinuousStateDerivatives(derivatives.ctypes.data_as(_DOUBLES), 2 * joints)
        except fmpy.fmi1.FMICallException:  # the kernel reported a failure
            return np.full(joints, np.nan), 1
        assert np.array_equal(derivatives[:joints], qd)
        return derivatives[joints:], 0

    compute = compute_friction if entry["name"] == "friction_forces" else compute_acceleration

    def call(*inputs: Any) -> tuple[Any, ...]:
        rows = [compute(*state) for state in zip(*inputs, strict=True)]
        results = np.array([row[0] for row in rows]).reshape(-1, joints)
        if not entry["can_fail"]:
            return (results,)
        return results, np.array([row[1] for row in rows], np.int32)

    return call


_DOUBLES = fmpy.fmi3.POINTER(fmpy.fmi3.c_double)


def _open(path: str) -> FMU3Model:
    """Validate the FMU in a file, and open it for model exchange."""
    if problems := validate_fmu(path):
        raise ValueError("\n".join(problems))
    described = fmpy.read_model_description(path)
    unit = FMU3Model(
        guid=described.guid,
        unzipDirectory=fmpy.extract(path),
        modelIdentifier=described.modelExchange.modelIdentifier,
        instanceName="proof",
    )
    unit.instantiate()
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.enterContinuousTimeMode()
    return unit
