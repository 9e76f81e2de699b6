"""Draw the swing and its loops: python plot.py writes swing.png."""

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
        for joint in range(N):
            color = f"C{joint}"
            axis.plot(times, plan[:, joint], "--", color=color, linewidth=0.8)
            axis.plot(times, states[:, joint], color=color, label=f"joint {joint + 1}")
        axis.set(xlabel="time in s", title=name, ylim=(-3.6, 3))
    axes[0].set_ylabel("position in rad (dashed: plan)")
    axes[1].legend(fontsize="x-small", ncols=2)
    figure.savefig(Path(__file__).with_name("swing.png"), dpi=120)


if __name__ == "__main__":
    draw(*main())
