"""Sphinx extension that writes the 3D pages of the gallery with `dynagen check --html`.

Each frame of a gallery page (`<iframe class="robot" src="robots/ur5.html">`) shows a 3D page.
The 3D pages are made once for each output folder of the site.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

FOLDER = "gallery/robots"
ROBOTS = {
    "ur5": ["--q0", "0.2,-1.2,1.4,0.2,0.3,0", "--time", "2"],
    "scara": ["--q0", "0.3,-0.5,0,0.2", "--time", "1", "--qd0", "3,-4,0,2"],
    "panda": [],
    "solo12": [],
}
"""Robots of the gallery, and the options of a simulated motion for their pages."""


def _write_pages(app: Sphinx, problem: Exception | None) -> None:
    """Write the 3D pages that are missing in the output folder."""
    if problem is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    for robot, motion in ROBOTS.items():
        page = folder / f"{robot}.html"
        if page.exists():
            continue
        options = ["--html", str(page)]
        if motion:
            table = folder / f"{robot}.csv"
            _run("simulate", robot, *motion, "--every", "0.02", "-o", str(table))
            options += ["--motion", str(table)]
        _run("check", robot, *options)


def _run(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dynagen", *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ExtensionError(f"dynagen {' '.join(words)}: {done.stderr}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event handler of this extension, when Sphinx loads it."""
    app.connect("build-finished", _write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
