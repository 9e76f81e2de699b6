"""Time and memory of identification over the number of samples of a PUMA 560: docs/long_logs.png and its table.

Times are of this process's processor, beside those of the base regressor alone, so that other programs do not count. Samples
are made on the way, and making them is not timed.

python benchmarks/long_logs.py [MOST]
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from dynagen.apps.identification.regression import regression_model
from dynagen.apps.identification.samples import samples_of
from dynagen.apps.identification.triangular import factors_of

DOCS = Path(__file__).parents[1] / "docs"
CHUNK = 50_000
SMALLEST, MOST = 10_000, 10_000_000


def chunks(count):
    """Samples, a chunk at a time: what counts is how many."""
    rng = np.random.default_rng(1)
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        yield samples_of(np.arange(size) / 1000, *rng.normal(size=(4, size, 6)))


def measure(count):
    """Seconds for the factors and for the regressor alone, and the greatest memory of the process before and after."""
    model = regression_model("puma560", friction=())
    factors = None
    for chunk in chunks(2 * CHUNK):
        factors_of(model, chunk)
    before, taken, regressor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0.0, 0.0
    for chunk in chunks(count):
        start = time.process_time()
        factors = factors_of(model, chunk, factors)
        taken += time.process_time() - start
        start = time.process_time()
        for first in range(0, len(chunk), 2000):
            piece = chunk[first : first + 2000]
            model.base_regressor(piece.q, piece.qd, piece.qdd)
        regressor += time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "count": count,
        "seconds": taken,
        "regressor": regressor,
        "before": before / 1024,
        "after": after / 1024,
    }


def draw(rows):
    """Time and memory over samples."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    counts = [row["count"] for row in rows]
    figure, (times, memory) = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    times.loglog(counts, [row["seconds"] for row in rows], "o-", label="triangular factors")
    times.loglog(counts, [row["regressor"] for row in rows], "o-", label="base regressor alone")
    times.set(xlabel="samples", ylabel="processor time in s")
    times.legend(frameon=False)
    memory.semilogx(counts, [row["after"] for row in rows], "o-", label="of the process")
    memory.semilogx(
        counts,
        [count * (4 * 6 + 1) * 8 / 2**20 for count in counts],
        "--",
        label="what the samples would take",
    )
    memory.set(
        xlabel="samples", ylabel="memory in MB", ylim=(0, 2 * max(row["after"] for row in rows))
    )
    memory.legend(frameon=False)
    figure.savefig(DOCS / "long_logs.png", dpi=110)


def main():
    """Measure every size in a process of its own, and draw."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
        return
    most, rows, count = int(float(sys.argv[1])) if sys.argv[1:] else MOST, [], SMALLEST
    while count <= most:
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(count)],
            check=True,
            capture_output=True,
            text=True,
        )
        rows.append(json.loads(done.stdout))
        row = rows[-1]
        each, alone = (1e9 * row[name] / count for name in ("seconds", "regressor"))
        print(
            f"| {count:,} | {row['seconds']:.3g} | {each:.0f} | {alone:.0f} | {row['after']:.0f} |",
            flush=True,
        )
        count *= 10
    draw(rows)


if __name__ == "__main__":
    main()
