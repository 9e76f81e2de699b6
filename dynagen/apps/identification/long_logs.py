"""Long logs: triangular factors of files that no memory holds, read piece by piece, here or by the workers of a cluster.

The files have rates and accelerations (columns qd, qdd) beside positions and joint forces, already filtered: nothing is done
to them, so that borders of pieces leave no trace. What comes out is the same to rounding, however the files are cut and
whoever reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.identification.logs import (
    Log,
    LogFormat,
    Table,
    csv_head,
    fault_of_csv,
    log_of,
    read_table,
)
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.triangular import JointFactors, accumulate, merged
from dynagen.errors import UsageError
from dynagen.resources import require_extra

AT_ONCE = 50_000
"""Rows of a file in memory: 10 MB of a robot with six joints."""
_RETRIES = 5  # of a piece whose worker dies
_TOGETHER = 8  # factors that one task of the tree merges


@dataclass(frozen=True)
class Piece:
    """A part of a file that is read by one worker.

    Attributes:
        path: of the file.
        group: number of the row group that it is, of Parquet; None is the whole file.
        first_row: of the file, from 0.
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
    """The factors of all samples in files, in memory that does not grow with them.

    Args:
        model: the regressor.
        files: CSV, Parquet or npz with the columns t, q, qd, qdd and tau (or current) of every joint. npz are read whole.
        form: how to read them, all of their rows; None: columns have usual names.
        at_once: rows that are in memory at a time.
        client: of a dask cluster (`dask.distributed.Client`), which sees the files under the same names: a task reads a file,
            or of Parquet a row group, and tasks merge their factors in a tree. None: all is read here.

    Raises:
        UsageError: a file cannot be read, its columns do not fit, or it has no rates or accelerations.
    """
    form = form or LogFormat()
    if form.rows != LogFormat.rows:
        raise UsageError("rows: long logs are read whole; cut them when you write them")
    read = partial(factors_of_piece, model, form, at_once)
    pieces = [piece for file in files for piece in pieces_of(Path(file))]
    if not pieces:
        raise UsageError("there are no files to identify from")
    if client is None:
        factors = read(pieces[0])
        for piece in pieces[1:]:
            factors = merged(factors, read(piece))
        return factors
    require_extra("dask", "dask", "to read logs on a cluster")
    from dask import bag

    tree = bag.from_sequence(pieces, partition_size=1).map(read).fold(merged, split_every=_TOGETHER)
    found: JointFactors = client.compute(tree, retries=_RETRIES).result()
    return found


def factors_of_piece(
    model: RegressionModel, form: LogFormat, at_once: int, piece: Piece
) -> JointFactors:
    """The factors of the samples in a piece."""
    tables = tables_of(piece, at_once)
    return accumulate(model, (ready_samples(log_of(table, model.robot, form)) for table in tables))


def ready_samples(log: Log) -> Samples:
    """The samples of a log that was filtered before.

    Raises:
        UsageError: it has no rates or no accelerations, or something in it is no number.
    """
    for name in ("qd", "qdd"):
        if getattr(log, name) is None:
            raise UsageError(
                f"{log.source}: long logs are not filtered: expected columns of {name} beside those of q and tau"
            )
    assert log.qd is not None
    assert log.qdd is not None
    for name, values in (("q", log.q), ("qd", log.qd), ("qdd", log.qdd), ("tau", log.tau)):
        if not np.isfinite(values).all():
            row, joint = np.argwhere(~np.isfinite(values))[0]
            found = f"row {log.first_row + row} is {values[row, joint]}"
            raise UsageError(
                f"{log.source}: {log.names[name][joint]}: {found}; long logs are read whole: expected finite numbers"
            )
    return Samples(
        log.t, log.q, log.qd, log.qdd, log.tau, np.ones(log.tau.shape, dtype=bool), log.source
    )


def pieces_of(path: Path) -> list[Piece]:
    """The pieces of a file that workers can read apart from each other."""
    if path.suffix.lower() not in (".parquet", ".pq"):
        return [Piece(str(path))]
    with _parquet(path) as file:
        counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    return [Piece(str(path), group, sum(counts[:group])) for group in range(len(counts))]


def tables_of(piece: Piece, at_once: int) -> Iterator[Table]:
    """The rows of a piece, some at a time."""
    path = Path(piece.path)
    if piece.group is not None:
        return _parquet_tables(piece, at_once)
    if path.suffix.lower() == ".npz":
        return iter([read_table(path)])
    return _csv_tables(path, at_once)


def _csv_tables(path: Path, at_once: int) -> Iterator[Table]:
    try:
        head, separator, has_names = csv_head(path)
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
                        f"{path}: {len(names)} names, but {values.shape[1]} columns of numbers"
                    )
                yield Table(names, values, str(path), has_names, first_row)
                first_row += len(values)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is no text'}"
        ) from error
    except ValueError:
        raise UsageError(fault_of_csv(path)) from None


def _parquet(path: Path) -> Any:
    """An open Parquet file."""
    require_extra("pyarrow", "identify", "to read Parquet")
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path)
    except (OSError, ArrowInvalid) as error:
        raise UsageError(f"cannot read {path}: expected Parquet: {error}") from error


def _parquet_tables(piece: Piece, at_once: int) -> Iterator[Table]:
    first_row = piece.first_row
    with _parquet(Path(piece.path)) as file:
        for batch in file.iter_batches(batch_size=at_once, row_groups=[piece.group]):
            columns = [
                np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=float)
                for name in batch.schema.names
            ]
            yield Table(
                tuple(batch.schema.names), np.column_stack(columns), piece.path, first_row=first_row
            )
            first_row += batch.num_rows
