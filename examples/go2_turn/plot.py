"""Draw the turn from the front: python plot.py writes turn.png."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from turn import DT, NQ, load_go2, main

import dynagen

SHOWN = 6
LEGS = {"FL": "C0", "FR": "C1", "RL": "C2", "RR": "C3"}
PARTS = ("hip", "thigh", "calf", "foot")


def draw(robot, plan):
    """Draw trunk and legs at equal time intervals, from the front and from the right."""
    places = robot.function("forward_kinematics@all")
    names = ("tool", *dynagen.load(robot.description).frames)
    figure, axes = plt.subplots(2, SHOWN, figsize=(10, 3.6), sharey="row", layout="constrained")
    for column, place in enumerate(np.linspace(0, len(plan.states) - 1, SHOWN).astype(int)):
        q = plan.states[place, :NQ].copy()
        q[:3] = 0  # seen by an observer who falls too
        points = np.array(places(q)[1])
        frames = {name: points[names.index(name)] for name in names}
        axes[0, column].set_title(f"{DT * place:.2f} s")
        for axis, shown in zip(axes[:, column], ((1, 2), (0, 2)), strict=True):
            trunk = np.array([frames[f"{leg}_hip"] for leg in ("FL", "FR", "RR", "RL", "FL")])
            axis.fill(*trunk[:, shown].T, color="0.8")
            axis.plot(*trunk[:, shown].T, color="0.4", linewidth=2)
            for leg, color in LEGS.items():
                line = np.array([frames[f"{leg}_{part}"] for part in PARTS])
                axis.plot(*line[:, shown].T, color=color, linewidth=2)
            axis.set(aspect="equal", xlim=(-0.5, 0.5), ylim=(-0.5, 0.3), xticks=[], yticks=[])
    axes[0, 0].set_ylabel("from the front")
    axes[1, 0].set_ylabel("from the right")
    figure.savefig(Path(__file__).with_name("turn.png"), dpi=120)


if __name__ == "__main__":
    draw(load_go2(), main())
