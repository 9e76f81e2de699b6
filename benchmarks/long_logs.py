"""Time and memory of identification over the number of samples, for a PUMA 560.

The program prints the table of docs/long_logs.md and draws docs/long_logs.png. Times are processor
times, so that other programs hardly affect them. The time of the base regressor alone is also
shown. The time to make the samples is not included.

    python benchmarks/long_logs.py [MOST]
"""

import json
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from dynagen.apps.identification.regression import regression_model
from dynagen.apps.identification.samples import make_samples
from dynagen.apps.identification.triangular import compute_factors
from dynagen.report.drawing import (
    COLOURS,
    draw_to,
    make_axes_logarithmic,
    make_panels,
    put_legend_above,
)

DOCS = Path(__file__).parents[1] / "docs"
CHUNK = 50_000
SMALLEST, MOST = 10_000, 10_000_000


def chunks(count):
    """Yield random samples in chunks; their values do not affect time and memory."""
    rng = np.random.default_rng(1)
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        yield make_samples(np.arange(size) / 1000, *rng.normal(size=(4, size, 6)))


def measure(count):
    """Measure time and memory to reduce a log to triangular factors, and time of the regressor.

    The triangular factors are those of the least-squares problem of identification.

    The keys of the result are `count` (number of samples), `seconds` and `regressor` (processor
    times for triangular factors and for the regressor, s), and `before` and `after` (peak memory of
    the process before and after both computations, MiB).
    """
    model = regression_model("puma560", friction=())
    factors = None
    # The first chunks compile and allocate, which is not measured.
    for chunk in chunks(2 * CHUNK):
        compute_factors(model, chunk)
    before, taken, regressor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0.0, 0.0
    for chunk in chunks(count):
        start = time.process_time()
        factors = compute_factors(model, chunk, factors)
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
    """Draw time and memory of identification over the number of samples in the log."""
    figure, (times, memory) = make_panels(1, 2, 3.2)
    counts = [row["count"] for row in rows]
    times.plot(
        counts, [row["seconds"] for row in rows], "o-", color=COLOURS[0], label="triangular factors"
    )
    times.plot(
        counts,
        [row["regressor"] for row in rows],
        "o-",
        color=COLOURS[1],
        label="base regressor alone",
    )
    times.set(xlabel="samples", ylabel="processor time in s")
    make_axes_logarithmic(times, "xy")
    memory.plot(
        counts, [row["after"] for row in rows], "o-", color=COLOURS[0], label="of the process"
    )
    samples = [count * (4 * 6 + 1) * 8 / 2**20 for count in counts]
    memory.plot(counts, samples, "--", color=COLOURS[1], label="size of the samples")
    memory.set(
        xlabel="samples", ylabel="memory in MB", ylim=(0, 2 * max(row["after"] for row in rows))
    )
    make_axes_logarithmic(memory, "x")
    for axes in (times, memory):
        put_legend_above(axes)
    return figure


def main():
    """Measure time and memory of identification for several lengths of the log; then draw them.

    Each length is measured in a separate process, because the peak memory of a process never
    decreases.
    """
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
    picture = DOCS / "long_logs.png"
    picture.write_bytes(draw_to(picture, "bench", partial(draw, rows)))


if __name__ == "__main__":
    main()
