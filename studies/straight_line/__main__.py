"""Command that computes the thesis's Fig. 1.1 for a line of the user.

python -m studies.straight_line --start 0.4 0.1 0.1 --end 0.4 0.5 0.5 --processors 1 2 4
"""

from __future__ import annotations

from argparse import ArgumentParser

import numpy as np

from dynagen.errors import UsageError
from studies.straight_line.chain import PROCESSORS, compute_motion, list_extremes, list_schedules
from studies.straight_line.line import END, START, TIMES


def main() -> None:
    """Print extremes of the motion along a line, and schedules of the computation of its torques.

    The motion is also written to a file if the user asks for it.
    """
    parser = ArgumentParser(prog="python -m studies.straight_line", description=__doc__)
    for name, point in (("--start", START), ("--end", END)):
        parser.add_argument(
            name,
            nargs=3,
            type=float,
            default=point,
            metavar=("X", "Y", "Z"),
            help="position of the wrist in the base frame, in m (default: %(default)s)",
        )
    parser.add_argument(
        "--processors",
        nargs="+",
        type=int,
        default=PROCESSORS,
        metavar="N",
        help="numbers of processors, one schedule for each (default: %(default)s)",
    )
    parser.add_argument(
        "--branch",
        type=int,
        choices=range(4),
        help="branch of inverse kinematics: 0 and 1 have the arm in front of the waist, 2 and 3 "
        "behind it, with the elbow on either side (default: the thesis's)",
    )
    parser.add_argument(
        "--csv", metavar="FILE", help="CSV file to write, with t, q, qd, qdd and torques"
    )
    options = parser.parse_args()
    try:
        motion = compute_motion(options.start, options.end, options.branch)
        schedules = list_schedules(options.processors)
    except (ValueError, UsageError) as error:
        parser.error(str(error))
    print(f"{list_extremes(motion)}\n{schedules}", end="")
    if options.csv is not None:
        names = ("q", "qd", "qdd", "tau")
        np.savetxt(
            options.csv,
            np.column_stack([TIMES, *(getattr(motion, name) for name in names)]),
            delimiter=",",
            header=",".join(["t", *(f"{name}{joint}" for name in names for joint in (1, 2, 3))]),
            comments="",
        )


if __name__ == "__main__":
    main()
