"""Joint torques of a recorded motion that does not fit into memory, on a cluster of processes.

python torques.py record motion.zarr --states 20000000
python torques.py solve motion.zarr --workers 4 --memory 400MB
python torques.py solve motion.zarr --scheduler tcp://host:8786
"""

import argparse

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import dynagen

ROBOT = "panda"
CHUNK = 50_000  # states per task: 2.8 MB for each of q, qd and qdd
MOTION = ("q", "qd", "qdd")


def record(path, states):
    """Generate a motion in which every joint swings at three frequencies.

    The motion has 1000 samples a second, and is computed and written in parts.
    """
    rng = np.random.default_rng(1)
    frequencies, amplitudes, phases = (
        rng.uniform(0.2, 3, (3, 7)),
        rng.uniform(0.1, 0.4, (3, 7)),
        rng.uniform(0, 6, (3, 7)),
    )
    angles = frequencies * da.arange(states, chunks=CHUNK)[:, None, None] / 1000 + phases
    swings = da.sin(angles), frequencies * da.cos(angles), -(frequencies**2) * da.sin(angles)
    for name, swing in zip(MOTION, swings, strict=True):
        (amplitudes * swing).sum(axis=1).to_zarr(path, component=name, overwrite=True)


def solve(path, client):
    """Add torques to the motion's Zarr folder; return a future of each joint's largest torque."""
    q, qd, qdd = (da.from_zarr(path, component=name) for name in MOTION)
    torques = dynagen.compile(ROBOT)(
        q, qd, qdd
    )  # dask arrays in, a dask array out: nothing is computed yet
    written = torques.to_zarr(
        path, component="tau", overwrite=True, compute=False, return_stored=True
    )
    return client.compute(abs(written).max(axis=0), retries=5)


def main():
    """Record a motion, or compute its torques."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("record", "solve"))
    parser.add_argument("path", help="a folder in the format Zarr")
    parser.add_argument("--states", type=int, default=20_000_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--memory", default="400MB", help="memory limit per worker")
    parser.add_argument(
        "--scheduler", help="address of an existing cluster whose workers see the path"
    )
    arguments = parser.parse_args()
    if arguments.command == "record":
        record(arguments.path, arguments.states)
        return
    cluster = arguments.scheduler or LocalCluster(
        n_workers=arguments.workers,
        threads_per_worker=1,
        memory_limit=arguments.memory,
        dashboard_address=None,
    )
    with Client(cluster) as client:
        largest = solve(arguments.path, client).result()
    for joint, torque, limit in zip(
        dynagen.load(ROBOT).joints, largest, dynagen.load(ROBOT).effort_limits, strict=True
    ):
        print(f"{joint:10} {torque:6.1f} N m of {limit:g}")


if __name__ == "__main__":
    main()
