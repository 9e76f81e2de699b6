"""A robot for Pinocchio's C++: the model that its Python has, as numbers, and states and results in its order.

Joints about axes of coordinates are of the types that Pinocchio computes fastest. Continuous joints take an angle, as ours do,
where its reader of URDF has their cosine and sine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.states import COMPARED, BenchStates
from dynagen.apps.crosscheck.pinocchio import Pinocchio
from dynagen.errors import ToolchainError
from dynagen.verification.kinematics import Array

DEFINES = (  # as Pinocchio's CMake target has them
    "-std=c++17",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


@dataclass(frozen=True)
class PinocchioRobot:
    """A robot in Pinocchio, and states to run it on."""

    opinion: Pinocchio
    states: BenchStates

    @property
    def version(self) -> str:
        """Of Pinocchio."""
        return str(self.opinion.library.__version__)

    @property
    def includes(self) -> tuple[Path, ...]:
        """The folders of headers that came with the Python package.

        Raises:
            ToolchainError: it came without.
        """
        module = Path(self.opinion.library.__file__)
        folder = (
            module.parents[4] / "include"
        )  # <prefix>/lib/pythonX.Y/site-packages/pinocchio/__init__.py
        if not (folder / "pinocchio").is_dir():
            raise ToolchainError(
                f"there are no headers of Pinocchio in {folder}: install `pin` with pip, which has them"
            )
        return folder, folder / "eigen3", folder / "pinocchio" / "deprecated"

    @cached_property
    def numbers(self) -> Array:
        """The robot as `templates/benchmarking/robot.hpp` reads it."""
        model = self.opinion.model
        data = model.createData()
        self.opinion.library.forwardKinematics(model, data, self.opinion.library.neutral(model))
        parts = [model.gravity.linear, [model.njoints - 1]]
        for index in range(1, model.njoints):
            is_free = model.joints[index].nv > 1
            motion = np.zeros(6) if is_free else np.asarray(data.joints[index].S).ravel()
            parts += [[model.parents[index], is_free], motion, *self._placed(model, index)]
        return np.concatenate([np.asarray(part, np.float64) for part in parts])

    @staticmethod
    def _placed(model: Any, index: int) -> Iterator[Any]:
        placement, inertia = model.jointPlacements[index], model.inertias[index]
        yield placement.rotation.T.ravel()
        yield placement.translation
        yield [inertia.mass]
        yield inertia.lever
        yield inertia.inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]

    @property
    def sizes(self) -> tuple[int, int]:
        """Entries of q and of v."""
        rates = self.opinion.model.nv
        return rates + self._is_free, rates

    @cached_property
    def _is_free(self) -> bool:
        return any(link.joint.type.is_free for link in self.opinion.moving)

    def inputs(self, function: str) -> list[Array]:
        """Positions, rates, and accelerations or forces, each of shape (states, n), whatever the function takes of them."""
        values, rates = self.states.values, self.opinion.rates
        base, first = (7, 6) if self._is_free else (0, 0)
        q = np.hstack([values["q"][:, :base], values["q"][:, base:] @ rates[first:, first:].T])
        last = "tau" if "tau" in ALGORITHMS[function].inputs else "qdd"
        return [
            np.ascontiguousarray(each)
            for each in (q, values["qd"] @ rates.T, values[last] @ rates.T)
        ]

    def size(self, function: str) -> int:
        """Numbers that a state's results are."""
        rates, results = self.sizes[1], len(ALGORITHMS[function].results)
        if function == "regressor":
            return 10 * rates * len(self.opinion.model.parents[1:])
        return results * rates**2 if results > 1 or function == "mass_matrix" else rates

    def read(self, function: str, out: Array) -> Array:
        """Results of the states that are compared, in the coordinates of the description."""
        rates, size = self.opinion.rates, self.sizes[1]
        out = out[:COMPARED]
        if function == "regressor":
            inertias = list(self.opinion.model.inertias)[1:]
            forces = out.reshape(len(out), size, -1) @ np.concatenate(
                [each.toDynamicParameters() for each in inertias]
            )
            return np.asarray(forces @ rates)
        if out.shape[1] == size:
            return np.asarray(out @ rates)
        matrices = out.reshape(len(out), -1, size, size)
        return np.asarray(rates.T @ matrices @ rates).reshape(len(out), -1)
