"""Pages in a real browser: headless Chromium, without a network."""

from __future__ import annotations

import subprocess
from pathlib import Path

_QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--virtual-time-budget=10000",
)


def page_after_scripts(page: Path, address: str = "", width: int = 1280) -> str:
    """The page's HTML when its scripts have run.

    Args:
        page: the file.
        address: what stands behind `#`.
        width: of the window; Chromium makes none that is narrower than 500.
    """
    window = f"--window-size={width},900"
    profile = f"--user-data-dir={page.parent / 'chromium'}"
    command = ["chromium", *_QUIET, window, profile, "--dump-dom", f"file://{page}#{address}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout
