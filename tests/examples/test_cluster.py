"""examples/cluster: a motion that the memory of all workers does not hold; and one of them is
killed.
"""

import os
import runpy
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import dynagen
from tests.support.libraries import dask_array as da
from tests.support.libraries import dask_distributed, dask_utils

EXAMPLE = Path(__file__).parents[2] / "examples" / "cluster" / "torques.py"
WORKERS, MEMORY, STATES = 2, "300MB", 3_700_000


@pytest.mark.slow
@pytest.mark.tools
def test_torques_are_right_though_a_worker_dies(tmp_path):
    example = runpy.run_path(str(EXAMPLE))
    path = tmp_path / "motion.zarr"
    example["record"](path, STATES)
    motion = [da.from_zarr(path, component=name) for name in example["MOTION"]]
    assert sum(array.nbytes for array in motion) > WORKERS * dask_utils.parse_bytes(MEMORY)
    cluster = dask_distributed.LocalCluster(
        n_workers=WORKERS,
        threads_per_worker=1,
        memory_limit=MEMORY,
        dashboard_address=None,
        local_directory=str(tmp_path),
    )
    with cluster, dask_distributed.Client(cluster) as client:
        first, *_ = client.run(os.getpid).values()
        largest = example["solve"](path, client)
        deadline = time.monotonic() + 300
        while len([each for each in (path / "tau").rglob("*") if each.is_file()]) < 10:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert not largest.done()
        os.kill(first, signal.SIGKILL)
        largest = largest.result(timeout=300)
        assert first not in client.run(os.getpid).values()  # another was started in its place
    expected = np.zeros(7)
    inverse_dynamics, tau = dynagen.compile("panda"), da.from_zarr(path, component="tau")
    for block in range(tau.numblocks[0]):
        torques = inverse_dynamics(*(array.blocks[block].compute() for array in motion))
        np.testing.assert_array_equal(tau.blocks[block].compute(), torques)
        expected = np.maximum(expected, abs(torques).max(axis=0))
    np.testing.assert_array_equal(largest, expected)
