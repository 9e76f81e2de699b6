"""The wheel works without the checkout: templates and robots travel in it."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path) -> str:
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment that holds the wheel, and sees this environment's packages but not the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (wheel,) = folder.glob("dynagen-*.whl")
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    # A path named in a .pth file is searched, but the .pth files in it are not read: dynagen's editable install is among them.
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site_packages,) = environment.glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text("\n".join(sorted(dependencies)))
    return environment


@pytest.mark.slow
def test_templates_and_robots_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    program = "from dynagen import resources as r; print(r.templates_folder(), r.robots_folder(), sep='\\n')"
    folders = run(installed / "bin" / "python", "-I", "-c", program, cwd=tmp_path).splitlines()
    assert [Path(folder).is_relative_to(installed) for folder in folders] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("command", [("python", "-I", "-m", "dynagen"), ("dynagen",)], ids=["module", "script"])
def test_the_installed_wheel_generates(installed: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    program, *options = command
    run(installed / "bin" / program, *options, "planar3", "--lang", "python", "--out", tmp_path / "out", cwd=tmp_path)
    assert (tmp_path / "out" / "planar3.py").read_text(encoding="utf-8")
