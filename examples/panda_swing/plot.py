"""Draw the planned swing and two disturbed motions: python plot.py writes swing.png."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from swing import DT, N, main


def draw(plan, loops):
    """Draw planned and reached joint positions over time."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    times = DT * np.arange(len(plan))
    for axis, (name, states) in zip(axes, loops.items(), strict=True):
        # Without feedback the arm falls, and a step of 20 ms is too long for what follows.
        fallen = (np.abs(states[:, :N]) > np.pi + 0.5).any(axis=1)
        shown = np.where(np.logical_or.accumulate(fallen)[:, None], np.nan, states)
        for joint in range(N):
            color = f"C{joint}"
            axis.plot(times, plan[:, joint], "--", color=color, linewidth=0.8)
            axis.plot(times, shown[:, joint], color=color, label=f"joint {joint + 1}")
        axis.set(xlabel="time in s", title=name, ylim=(-3.6, 3))
    axes[0].set_ylabel("position in rad (dashed: plan)")
    axes[1].legend(fontsize="x-small", ncols=2)
    figure.savefig(Path(__file__).with_name("swing.png"), dpi=120)


if __name__ == "__main__":
    draw(*main())
