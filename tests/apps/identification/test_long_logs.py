"""Logs that no memory holds: the same factors however files are cut, on a cluster too, and though a
worker dies.
"""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from numpy.linalg import norm

from dynagen.apps.identification.logs import LogFormat
from dynagen.apps.identification.long_logs import factors_of_files
from dynagen.apps.identification.regression import regression_model
from dynagen.apps.identification.samples import make_samples
from dynagen.apps.identification.triangular import compute_factors
from dynagen.errors import UsageError
from tests.support.libraries import dask_distributed, parquet, pyarrow

COUNT = 4000
NAMES = ["t", *(f"{name}{joint}" for name in ("q", "qd", "qdd", "tau") for joint in (1, 2, 3))]


@pytest.fixture(scope="module")
def model():
    return regression_model("planar3")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    return np.column_stack([np.arange(COUNT) / 1000, rng.normal(size=(COUNT, 12))])


@pytest.fixture(scope="module")
def whole(model, table):
    return compute_factors(model, make_samples(table[:, 0], *np.split(table[:, 1:], 4, axis=1)))


@pytest.fixture(scope="module")
def files(table, tmp_path_factory):
    """The table in three files of three formats."""
    folder = tmp_path_factory.mktemp("logs")
    header = ",".join(NAMES)
    np.savetxt(
        folder / "first.csv", table[:1501], delimiter=",", header=header, comments="", fmt="%.17g"
    )
    rows = pyarrow.table(dict(zip(NAMES, table[1501:3400].T, strict=True)))
    parquet.write_table(rows, folder / "second.parquet", row_group_size=700)
    q, qd, qdd, tau = np.split(table[3400:, 1:], 4, axis=1)
    np.savez(folder / "third.npz", t=table[3400:, 0], q=q, qd=qd, qdd=qdd, tau=tau)
    return [folder / name for name in ("first.csv", "second.parquet", "third.npz")]


def assert_same(factors, whole):
    np.testing.assert_array_equal(factors.counts, whole.counts)
    np.testing.assert_allclose(
        factors.factors, whole.factors, rtol=0, atol=1e-12 * norm(whole.factors)
    )


@pytest.mark.tools
@pytest.mark.parametrize("at_once", [97, 1501, 100_000])
def test_pieces_leave_no_trace(model, files, whole, at_once):
    assert_same(factors_of_files(model, files, at_once=at_once), whole)


@pytest.mark.tools
def test_columns_and_gains(model, files, table, whole):
    said = {"time": 0, "q": "1:4", "qd": "4:7", "qdd": "7:10", "current": "10:13"}
    doubled = factors_of_files(model, files[:1], LogFormat(said, (2.0, 2.0, 2.0)), at_once=400)
    q, qd, qdd, tau = np.split(table[:1501, 1:], 4, axis=1)
    assert_same(doubled, compute_factors(model, make_samples(table[:1501, 0], q, qd, qdd, 2 * tau)))


@pytest.mark.slow
@pytest.mark.tools
def test_a_cluster_gives_the_same_though_a_worker_dies(model, files, whole, tmp_path):
    dead = tmp_path / "dead"
    pid = os.getpid()

    class Deadly:
        """The model, that kills the first worker which asks for a regressor."""

        robot = model.robot

        def compute_regressor(self, *motion):
            if os.getpid() != pid and not dead.exists():
                dead.write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)
            return model.compute_regressor(*motion)

    cluster = dask_distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)
    )
    with cluster, dask_distributed.Client(cluster) as client:
        factors = factors_of_files(Deadly(), files, at_once=500, client=client)
        assert int(dead.read_text()) not in client.run(os.getpid).values()
    assert_same(factors, whole)


@pytest.mark.tools
def test_what_is_wrong_is_said_by_file_and_column(model, files, table, tmp_path):
    bad = tmp_path / "bad.csv"
    lines = files[0].read_text().splitlines()
    bad.write_text("\n".join([*lines[:900], lines[900].replace(",", ",x", 1), *lines[901:]]))
    with pytest.raises(UsageError, match=r"bad.csv:901: q1: expected a number, found `x"):
        factors_of_files(model, [bad], at_once=200)
    bad.write_text(
        "\n".join(
            [
                *lines[:900],
                ",".join([*lines[900].split(",")[:5], "nan", *lines[900].split(",")[6:]]),
            ]
        )
    )
    with pytest.raises(
        UsageError, match=r"bad.csv: qd2 .*: row 899 is nan; expected numbers below"
    ):
        factors_of_files(model, [bad], at_once=200)
    holed = table[:900].copy()
    holed[850, NAMES.index("tau3")] = np.inf
    parquet.write_table(
        pyarrow.table(dict(zip(NAMES, holed.T, strict=True))),
        tmp_path / "bad.parquet",
        row_group_size=300,
    )
    with pytest.raises(UsageError, match=r"bad.parquet: tau3 .*: row 850 is inf"):
        factors_of_files(model, [tmp_path / "bad.parquet"], at_once=70)
    np.savetxt(
        bad, table[:50, :7], delimiter=",", header=",".join([*NAMES[:4], *NAMES[10:]]), comments=""
    )
    with pytest.raises(UsageError, match="expected columns of qd"):
        factors_of_files(model, [bad])
    with pytest.raises(UsageError, match=r"cannot read .*nowhere\.parquet"):
        factors_of_files(model, [tmp_path / "nowhere.parquet"])
    with pytest.raises(UsageError, match="expected at least one file"):
        factors_of_files(model, [])
    with pytest.raises(UsageError, match="expected no range of rows"):
        factors_of_files(model, files, replace(LogFormat(), rows="1:2"))
