"""Installation of acados into this Python environment, from its wheel on PyPI.

    python -m dynagen.toolchain.install_acados

The wheel comma-deps-acados contains the library, headers and templates of acados, and the program
that fills in the templates. The wheel also contains a reduced CasADi for Python 3.12, which would
replace the package casadi; this script does not install that part.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

WHEEL = "comma-deps-acados == 0.2.2.post92"


def main() -> None:
    """Download and install the Python package `acados`, unless it is installed already."""
    folder = Path(sysconfig.get_path("purelib"), "acados")
    if folder.exists():
        return
    with TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*command, "--target", temporary, WHEEL], check=True)
        shutil.move(Path(temporary, "acados"), folder)


if __name__ == "__main__":
    main()
