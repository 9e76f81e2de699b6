"""Timed programs that are called from Python: other tools, and the numeric reference in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dynagen.apps.benchmarking.contender import ONE_STATE, Contender, make_single_state_contender
from dynagen.apps.benchmarking.states import COMPARED, BenchStates
from dynagen.apps.crosscheck.reference import ReferenceModel
from dynagen.apps.crosscheck.tool import OtherTool
from dynagen.numbers.arrays import Array

ALL_STATES = "all states in a call"
_NUMPY = "numpy"


def make_binding_contenders(tool: OtherTool, states: BenchStates) -> dict[str, list[Contender]]:
    """Return, for each function, a program to time, which calls the other tool from Python.

    Each call of the tool computes one state. States are converted to the tool's coordinates before
    timing.

    Args:
        tool: the other tool, in which the robot is loaded.
        states: states on which the programs run, in the description's coordinates.
    """
    contenders = {}
    for name, function in tool.functions.items():
        own = [
            tool.convert_state(*state) for state in zip(*states.select_inputs(name), strict=True)
        ]
        arrays = [np.stack(each) for each in zip(*own, strict=True)]
        contenders[name] = [
            make_single_state_contender(
                f"{tool.name}, Python", function.call, function.read, arrays
            )
        ]
    return contenders


def make_numpy_contenders(states: BenchStates) -> dict[str, list[Contender]]:
    """Return, for each function, two programs to time, which call the numeric reference in numpy.

    The first program computes all states in one call; the second computes one state in each call.
    """
    return {
        name: [
            _make_all_states(function, states.select_inputs(name)),
            make_single_state_contender(
                _NUMPY, function, np.asarray, states.select_inputs(name), ONE_STATE
            ),
        ]
        for name, function in ReferenceModel(states.robot).functions.items()
    }


def _make_all_states(function: Callable[..., Array], arrays: Sequence[Array]) -> Contender:
    def results() -> Array:
        found = function(*(each[:COMPARED] for each in arrays))
        return found.reshape(len(found), -1)

    return Contender(_NUMPY, ALL_STATES, "", lambda _: function(*arrays), results, is_one_call=True)
