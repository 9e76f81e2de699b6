"""Forward dynamics in clusters of joints, compared with composite and articulated bodies.

    python benchmarks/clusters.py                    # bundled robots, chains and trees
    python benchmarks/clusters.py talos.urdf g1      # a URDF as well; with fixed and floating base

The first table contains the operations of forward dynamics at `--optimize default`: by composite
bodies, by articulated bodies, and by the clusters that the optimiser chooses. The second table
contains the operations for the inverse of the mass matrix M, and for a further solution of M x = b.
Both are computed by the factors of M and by articulated bodies. The second table shows which method
is cheaper for the derivatives of forward dynamics, which require two solutions per joint.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import prod

from growth import general_robot

from dynagen.dynamics.algorithms.articulated import record_articulated_bodies
from dynagen.dynamics.algorithms.external_wrenches import NO_CONTACTS
from dynagen.dynamics.algorithms.factorisation import solve
from dynagen.dynamics.algorithms.inverse_mass_matrix import list_entry_names
from dynagen.dynamics.algorithms.mass_matrix import record_mass_matrix
from dynagen.dynamics.algorithms.recording import JointMotion, Recording
from dynagen.dynamics.candidate import ARTICULATED
from dynagen.dynamics.function import DynamicsFunction, Record, Results
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.mass_matrix_inverse import MASS_MATRIX_INVERSE
from dynagen.dynamics.recording import Quantity, join
from dynagen.optimizer.compile import CompiledFunction, compile_function
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.robot.options import ReadingOptions

ROBOTS = (
    "puma560",
    "stanford_listing",
    "stanford_saha",
    "ur5",
    "panda",
    "general6",
    "solo12",
    "solo12 floating",
    "g1",
    "g1 floating",
    "chain 8",
    "chain 12",
    "chain 60",
    "tree 60",
)
INVERSES = ("puma560", "panda", "general6", "chain 8", "chain 12", "chain 24")


def read(name: str) -> RobotModel:
    """Return the model of a robot by name, by file, or as text such as `chain 12` or `tree 24`.

    The joints of a chain or tree have axes in general directions.
    """
    robot, _, rest = name.partition(" ")
    if robot in ("chain", "tree"):
        return build_model(general_robot(int(rest), 1 if robot == "chain" else 4))
    return build_model(load_robot(robot, ReadingOptions(base=rest)))


def compile_methods(
    function: DynamicsFunction, model: RobotModel, methods: Mapping[str, Record]
) -> list[CompiledFunction]:
    """Compile a function by every method at the optimiser's default effort.

    Args:
        function: the function; its attribute `methods` is not used.
        model: robot model.
        methods: for each method, by name, the function that records the method's operations.

    Returns:
        the compiled functions, in the order of the methods.
    """
    return [
        compile_function(replace(function, methods={name: method}), DesignSpace(model), Effort())
        for name, method in methods.items()
    ]


def compare_forward_dynamics(name: str) -> str:
    """Return a table row: operations of forward dynamics by three methods, for one robot.

    The methods are composite bodies, articulated bodies of one joint each, and articulated bodies
    with the clusters of joints that the optimiser chooses.
    """
    methods = FORWARD_DYNAMICS.methods
    # Only methods of the name ARTICULATED are given clusters.
    composite, separate, clusters = compile_methods(
        FORWARD_DYNAMICS,
        read(name),
        {
            "composite": methods["composite"],
            "one joint each": methods[ARTICULATED],
            ARTICULATED: methods[ARTICULATED],
        },
    )
    counts = [each.operations.total for each in (composite, separate, clusters)]
    joined = [index for index, each in enumerate(clusters.choice.choices, 1) if each.joined]
    cells = (name, *counts, min(counts), " ".join(map(str, joined)) or "none")
    return "| " + " | ".join(map(str, cells)) + " |"


def record_by_bodies(recording: Recording, forces: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    """Record the operations of M^-1 b for the mass matrix M, by articulated bodies.

    M^-1 b are the joint accelerations of the robot under the joint forces b, at rest and without
    gravity.
    """
    still = JointMotion(recording.zeros, recording.zeros, gravity=False)
    return record_articulated_bodies(recording, still, forces, NO_CONTACTS)


def record_sides(by_bodies: bool, count: int, recording: Recording) -> Results:
    """Record the solution of M x = tau, or also the solution of M y = qd.

    M is the mass matrix. With two right-hand sides, the outputs are the products of corresponding
    entries of x and y. Sums would require only one solution, for tau + qd.

    Args:
        by_bodies: whether articulated bodies compute the solutions; otherwise the factors of M.
        count: number of right-hand sides, 1 or 2.
        recording: receives the operations.
    """
    sides = [recording.add_elements(name) for name in ("tau", "qd")[:count]]
    with recording.recorder.memoise():
        if by_bodies:
            solutions = [record_by_bodies(recording, side) for side in sides]
        else:
            names, matrix = list_entry_names(recording), record_mass_matrix(recording)
            solved = solve(
                recording.recorder, names, matrix, [join(row) for row in zip(*sides, strict=True)]
            )
            solutions = [tuple(row[place] for row in solved) for place in range(count)]
    # As many outputs as forward dynamics has: the multiplications are taken off again.
    return (tuple(prod(rows[1:], start=rows[0]) for rows in zip(*solutions, strict=True)),)


def compare_right_hand_sides(name: str) -> str:
    """Return a table row: operations of M^-1, and of a further solution of M x = b, for one robot.

    M is the mass matrix. Operations are counted for two methods: by the factors of M, and by
    articulated bodies.
    """
    model = read(name)
    inverses = compile_methods(MASS_MATRIX_INVERSE, model, MASS_MATRIX_INVERSE.methods)
    further = []
    for by_bodies in (False, True):
        one, two = (
            compile_methods(
                FORWARD_DYNAMICS,
                model,
                {"": partial(record_sides, by_bodies, count)},
            )[0].operations.total
            for count in (1, 2)
        )
        further.append(two - one - model.nv)
    *factors, bodies = (each.operations.total for each in inverses)
    return f"| {name} | {min(factors)} | {bodies} | {further[0]} | {further[1]} |"


def main(names: list[str]) -> None:
    print("| forward dynamics | composite | one joint each | clusters | cheapest | joined |")
    print("| --- | --: | --: | --: | --: | --- |")
    for name in names or ROBOTS:
        print(compare_forward_dynamics(name), flush=True)
    print("\n| M^-1 | by factors | by bodies | another side by factors | by bodies |")
    print("| --- | --: | --: | --: | --: |")
    for name in names or INVERSES:
        print(compare_right_hand_sides(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
