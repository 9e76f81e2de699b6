"""Figure: a motion drawn: positions, rates and torques of the joints, energies, the tool's path.

The background is transparent and lines, axes and words have colours that can be read on white and on black.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from dynagen.errors import UsageError
from dynagen.extras import require_extra
from dynagen.simulation.motion import Motion
from dynagen.simulation.plant import Array

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7F7F7F")
"""Apart for colour-blind eyes (after Okabe and Ito 2008, with a darker yellow), on white and on black."""
DASHES = ("-", "--", ":", "-.")
STYLE = {
    "axes.edgecolor": "#808080",
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": "#808080",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.labelcolor": "#808080",
    "lines.linewidth": 1.3,
    "savefig.facecolor": "none",
    "svg.hashsalt": "dynagen",
    "text.color": "#808080",
    "xtick.color": "#808080",
    "ytick.color": "#808080",
}
"""Of every figure, for matplotlib."""
FORMATS = (".svg", ".png", ".pdf")
_MOST = 12  # joints in one figure's legend


def draw_motion(motion: Motion, path: Path) -> bytes:
    """Draw a motion.

    Args:
        motion: one, not several at once.
        path: of the file that the drawing is for; its ending says the format, one of FORMATS.

    Returns:
        The content of that file.

    Raises:
        ToolchainError: matplotlib is missing.
        UsageError: another format.
    """
    require_extra("matplotlib", "simulate", "to draw the motion")
    if path.suffix not in FORMATS:
        raise UsageError(f"{path}: a figure's name ends in {', '.join(FORMATS)}")
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(STYLE):
        figure = Figure(figsize=(10.0, 7.5), layout="constrained")
        grid = figure.add_gridspec(3, 2)
        first = _joints(figure.add_subplot(grid[0, 0]), motion.t, motion.q, "position in rad, m")
        _joints(figure.add_subplot(grid[1, 0], sharex=first), motion.t, motion.qd, "rate in rad/s, m/s")
        _joints(figure.add_subplot(grid[2, 0], sharex=first), motion.t, motion.tau, "torque, force in N m, N").set_xlabel(
            "t in s"
        )
        _energies(figure.add_subplot(grid[0, 1]), motion)
        _path(figure.add_subplot(grid[1:, 1]), motion)
        figure.suptitle(motion.robot)
        if motion.q.shape[1] <= _MOST:
            figure.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=_MOST)
        drawn = BytesIO()
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(drawn, format=path.suffix[1:], metadata=metadata)
    return drawn.getvalue()


def _joints(axes: Any, t: Array, values: Array, label: str) -> Any:
    """A line for every joint."""
    for joint, column in enumerate(values.T):
        dashes = DASHES[joint // len(COLOURS) % len(DASHES)]
        axes.plot(t, column, color=COLOURS[joint % len(COLOURS)], linestyle=dashes, label=f"joint {joint + 1}")
    axes.set_ylabel(label)
    return axes


def _energies(axes: Any, motion: Motion) -> None:
    """Kinetic and potential energy, and what work explains of their sum; the two last lie on each other."""
    total = motion.kinetic + motion.potential
    axes.plot(motion.t, motion.kinetic, color=COLOURS[0], label="kinetic")
    axes.plot(motion.t, motion.potential, color=COLOURS[1], label="potential")
    axes.plot(motion.t, total, color=COLOURS[2], label="sum")
    axes.plot(motion.t, total[0] + motion.work, color=COLOURS[6], linestyle=":", label="start + work")
    axes.set_ylabel("energy in J")
    axes.set_xlabel("t in s")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)


def _path(axes: Any, motion: Motion) -> None:
    """The tool's path along the two axes on which it moves most."""
    extent = motion.tool.max(axis=0) - motion.tool.min(axis=0)
    across, up = sorted(extent.argsort()[1:])
    axes.plot(motion.tool[:, across], motion.tool[:, up], color=COLOURS[0])
    axes.plot(*motion.tool[0, [across, up]], marker="o", color=COLOURS[0])
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"tool's {'xyz'[across]} in m (starts at the dot)")
    axes.set_ylabel(f"tool's {'xyz'[up]} in m")
