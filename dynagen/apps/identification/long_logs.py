"""Triangular factors for least squares on log files larger than memory.

Least squares requires only the triangular factors from QR factorisation of regressor and measured
forces. The log files are read piece by piece, except npz files. The files must already be filtered
and contain velocities and accelerations (columns qd, qdd), because filtering in pieces would cause
errors at the borders. The work can be divided among the workers of a dask cluster. The division
changes the triangular factors only by rounding errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.identification.faults import LARGEST, is_measurable
from dynagen.apps.identification.logs import (
    Log,
    LogFormat,
    make_log,
)
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.tables import (
    LogTable,
    describe_csv_fault,
    read_csv_head,
    read_log_table,
)
from dynagen.apps.identification.triangular import JointFactors, accumulate, merge_factors
from dynagen.errors import UsageError
from dynagen.resources import require_extra

AT_ONCE = 50_000
"""Rows of a file in memory at a time: 10 MB for a robot with six joints."""
_RETRIES = 5  # of a task whose worker dies
_TOGETHER = 8  # factors that one task of the merge tree takes


@dataclass(frozen=True)
class Piece:
    """Part of a file that one worker reads.

    Attributes:
        path: path of the file.
        group: number of the row group in a Parquet file, from 0; None: the whole file.
        first_row: number of the piece's first row in the file, from 0.
    """

    path: str
    group: int | None = None
    first_row: int = 0


def factors_of_files(
    model: RegressionModel,
    files: Sequence[str | Path],
    form: LogFormat | None = None,
    at_once: int = AT_ONCE,
    client: Any = None,
) -> JointFactors:
    """Compute one triangular factor per joint from all samples in files, with limited memory.

    The upper triangular factor R_j of joint j satisfies R_j^T R_j = A_j^T A_j, where A_j = [Y_j |
    tau_j] contains the joint's regressor rows Y_j and measured forces tau_j.

    Args:
        model: regressor of joint forces.
        files: CSV, Parquet or npz files with the columns t, q, qd, qdd and tau (or current) of
            every joint. An npz file is always read as one table.
        form: options for reading the files, without a range of rows; None for usual column names.
        at_once: largest number of rows in memory at a time.
        client: client of a dask cluster (`dask.distributed.Client`), on which the files have the
            same paths. Each task reads a file or a Parquet row group; other tasks merge the factors
            in a tree. If `client` is None, this process reads all files.

    Raises:
        UsageError: a file cannot be read, its columns do not fit, or velocities or accelerations
            are missing.
    """
    form = form or LogFormat()
    if form.rows != LogFormat.rows:
        raise UsageError(
            "rows: expected no range of rows, since long logs are read completely; "
            "write only the wanted rows into the files"
        )
    read = partial(compute_piece_factors, model, form, at_once)
    pieces = [piece for file in files for piece in divide_file(Path(file))]
    if not pieces:
        raise UsageError("expected at least one file, found none")
    if client is None:
        factors = read(pieces[0])
        for piece in pieces[1:]:
            factors = merge_factors(factors, read(piece))
        return factors
    require_extra("dask", "dask", "to read logs on a cluster")
    from dask import bag

    tree = (
        bag.from_sequence(pieces, partition_size=1)
        .map(read)
        .fold(merge_factors, split_every=_TOGETHER)
    )
    found: JointFactors = client.compute(tree, retries=_RETRIES).result()
    return found


def compute_piece_factors(
    model: RegressionModel, form: LogFormat, at_once: int, piece: Piece
) -> JointFactors:
    """Compute one triangular factor per joint from the samples in a piece of a file.

    Args:
        model: regressor of joint forces. The factor of a joint is the triangular matrix from QR
            factorisation of its regressor rows and measured forces.
        form: columns, gains and units of the file.
        at_once: largest number of rows in memory at a time.
        piece: a file or a Parquet row group.
    """
    tables = read_tables(piece, at_once)
    return accumulate(
        model, (convert_filtered_log(make_log(table, model.robot, form)) for table in tables)
    )


def convert_filtered_log(log: Log) -> Samples:
    """Return the samples of a log that is already filtered; estimates use every sample.

    Raises:
        UsageError: velocities or accelerations are missing, or an entry is not a finite number.
    """
    for name in ("qd", "qdd"):
        if getattr(log, name) is None:
            raise UsageError(
                f"{log.source}: expected columns of {name} in addition to q and tau, because "
                "long logs must already be filtered"
            )
    assert log.qd is not None
    assert log.qdd is not None
    for name, values in (("q", log.q), ("qd", log.qd), ("qdd", log.qdd), ("tau", log.tau)):
        if not is_measurable(values).all():
            row, joint = np.argwhere(~is_measurable(values))[0]
            found = f"row {log.first_row + row} is {values[row, joint]}"
            raise UsageError(
                f"{log.source}: {log.names[name][joint]}: {found}; expected numbers below "
                f"{LARGEST:g}"
            )
    return Samples(
        log.t, log.q, log.qd, log.qdd, log.tau, np.ones(log.tau.shape, dtype=bool), log.source
    )


def divide_file(path: Path) -> list[Piece]:
    """Divide a log file into pieces that workers can read independently.

    A Parquet file is divided into its row groups; any other file is one piece.
    """
    if path.suffix.lower() not in (".parquet", ".pq"):
        return [Piece(str(path))]
    with _parquet(path) as file:
        counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    return [Piece(str(path), group, sum(counts[:group])) for group in range(len(counts))]


def read_tables(piece: Piece, at_once: int) -> Iterator[LogTable]:
    """Read the rows of a piece of a log file as tables of at most `at_once` rows.

    An npz file is always read as one table.

    Args:
        piece: a file or a Parquet row group.
        at_once: largest number of rows in a table.
    """
    path = Path(piece.path)
    if piece.group is not None:
        return _parquet_tables(piece, at_once)
    if path.suffix.lower() == ".npz":
        return iter([read_log_table(path)])
    return _csv_tables(path, at_once)


def _csv_tables(path: Path, at_once: int) -> Iterator[LogTable]:
    try:
        head, separator, has_names = read_csv_head(path)
        names = tuple(head) if has_names else tuple(map(str, range(len(head))))
        with open(path, encoding="utf-8-sig") as file:
            if has_names:
                while not file.readline().strip():
                    pass
            first_row = 0
            while lines := list(islice(file, at_once)):
                values = np.loadtxt(lines, delimiter=separator, ndmin=2, comments=None)
                if values.shape[1] != len(names):
                    raise UsageError(
                        f"{path}: expected a name for each column, found {len(names)} names and "
                        f"{values.shape[1]} columns of numbers"
                    )
                yield LogTable(names, values, str(path), has_names, first_row)
                first_row += len(values)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or 'not a text file'}"
        ) from error
    except ValueError:
        raise UsageError(describe_csv_fault(path)) from None


def _parquet(path: Path) -> Any:
    """Open a Parquet file."""
    require_extra("pyarrow", "identify", "to read Parquet")
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path)
    except (OSError, ArrowInvalid) as error:
        raise UsageError(f"cannot read {path}: expected Parquet: {error}") from error


def _parquet_tables(piece: Piece, at_once: int) -> Iterator[LogTable]:
    first_row = piece.first_row
    with _parquet(Path(piece.path)) as file:
        for batch in file.iter_batches(batch_size=at_once, row_groups=[piece.group]):
            columns = [
                np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=float)
                for name in batch.schema.names
            ]
            yield LogTable(
                tuple(batch.schema.names), np.column_stack(columns), piece.path, first_row=first_row
            )
            first_row += batch.num_rows
