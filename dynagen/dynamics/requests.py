"""Requests: functions as users name them -> DynamicsFunctions.

| request | function |
| --- | --- |
| `mass_matrix` | one of the table |
| `jacobian@camera` | the same for the frame named camera |
| `mass_matrix+gravity_forces` | one kernel with the results of several |
| `all` | the whole table but for variants, and for what is not available for the robot |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynagen.dynamics.function import DynamicsFunction, split_methods
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.joining import joined
from dynagen.errors import UsageError, did_you_mean
from dynagen.robot.model.model import RobotModel

ALL = "all"

# What other programs and books call them.
_ALIASES = {
    **dict.fromkeys(("rnea", "id", "newton_euler"), "inverse_dynamics"),
    **dict.fromkeys(("aba", "fd"), "forward_dynamics"),
    **dict.fromkeys(("crba", "inertia_matrix", "m"), "mass_matrix"),
    **dict.fromkeys(("fk", "fkine"), "forward_kinematics"),
    **dict.fromkeys(("gravity", "gravload", "g"), "gravity_forces"),
    **dict.fromkeys(("nle", "nonlinear_effects", "h"), "bias_forces"),
}
_KNOWN = {function.name: function for function in FUNCTIONS}
_PLACES = {function.name: place for place, function in enumerate(FUNCTIONS)}


def find_functions(requests: Sequence[str], model: RobotModel) -> tuple[DynamicsFunction, ...]:
    """Functions in the order of the table, for named frames after those for the tool, joined ones last; each of them once.

    Args:
        requests: what the user asks for.
        model: the robot, as described.

    Raises:
        UsageError: there is no such function; names the nearest. Or it has to do with no frame, cannot be joined, or is not
            available for this robot. Or nothing is asked for.
    """
    if not requests:
        raise UsageError("no function is asked for; name one, as inverse_dynamics, or all")
    single = [
        (request, _function(request, model))
        for request in requests
        if request != ALL and "+" not in request
    ]
    single += [
        (function.name, function.for_robot(model))
        for function in _all(requests)
        if not function.availability.unavailable_because(model)
    ]
    single.sort(key=lambda entry: (_PLACES[entry[0].partition("@")[0]], "@" in entry[0]))
    joined_functions = [
        joined([_function(part, model) for part in request.split("+")], model)
        for request in requests
        if "+" in request
    ]
    functions = tuple(
        {
            function.name: function
            for function in [*(function for _, function in single), *joined_functions]
        }.values()
    )
    for function in functions:
        function.require(model)
    return functions


def left_out(requests: Sequence[str], model: RobotModel) -> tuple[str, ...]:
    """For every function of `all` that is not available for a robot, its name and why."""
    return tuple(
        f"{function.name} is left out: {reason}"
        for function in _all(requests)
        if (reason := function.availability.unavailable_because(model))
    )


def require_method(method: str | None, functions: Sequence[DynamicsFunction]) -> None:
    """Refuse a method that none of the functions has.

    Raises:
        UsageError: names the methods that they have.
    """
    known = dict.fromkeys(
        name
        for function in functions
        for names in function.methods
        for name in split_methods(names)
    )
    if method is not None and method not in known:
        expected = (
            f"expected one of {', '.join(known)}"
            if known
            else "these functions offer no choice of methods"
        )
        raise UsageError(f"unknown method {method!r}: {expected}")


def _all(requests: Sequence[str]) -> Iterator[DynamicsFunction]:
    """The functions that `all` stands for, if it is among the requests."""
    return (
        function
        for function in FUNCTIONS
        if ALL in requests and not function.availability.on_request
    )


def _function(request: str, model: RobotModel) -> DynamicsFunction:
    name, at, frame = request.partition("@")
    if name == ALL:
        raise UsageError(
            f"`{ALL}` stands alone: name the functions that are to be joined, or that are for a frame"
        )
    if "," in request:
        names = request.replace(",", " ").split()
        raise UsageError(
            f"`{request}` is no function: repeat -f for several kernels (-f {' -f '.join(names)}), "
            f"or join them with + for one kernel with all results (-f {'+'.join(names)})"
        )
    if name not in _KNOWN:
        hint = (
            did_you_mean(name, _KNOWN, _ALIASES)
            or f"; expected one of {', '.join(_KNOWN)}, or {ALL}"
        )
        raise UsageError(f"unknown function `{name}`{hint}")
    function = _KNOWN[name].at(frame) if at else _KNOWN[name]
    return function.for_robot(model)
