"""The wheel works without the checkout, and on the oldest versions that it declares; the sdist is
whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from dynagen.version import __version__

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        ROOT,
        cwd=folder,
    )
    (wheel,) = folder.glob(f"dynagen-{__version__}-*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """A fresh virtual environment that holds the wheel, and sees this environment's packages but
    not the checkout.
    """
    folder = wheel.parent
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=folder,
    )
    # A path named in a .pth file is searched, but the .pth files in it are not read: dynagen's
    # editable install is among them.
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site_packages,) = environment.glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text("\n".join(sorted(dependencies)))
    return environment


def test_extras_that_texts_ask_for_are_asked_for_in_one_way_and_declared() -> None:
    """Where dynagen is installed, from a wheel or a checkout, its name adds them to it."""
    folders = ("docs", "dynagen", "examples", "benchmarks")
    files = [
        ROOT / "README.md",
        *(file for folder in folders for file in (ROOT / folder).rglob("*.*")),
    ]
    texts = [file.read_text(encoding="utf-8") for file in files if file.suffix in (".md", ".py")]
    asked = [
        found
        for text in texts
        for found in re.findall(r"pip\s+install\s+(?:-e\s+)?'?([\w.]*)\[([\w,]+)\]", text)
    ]
    assert {name for name, _ in asked} == {"dynagen"}
    extras = (ROOT / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2]
    declared = set(re.findall(r"^(\w+) = \[", extras, re.MULTILINE))
    assert (
        {"identify", "view"}
        <= {extra for _, listed in asked for extra in listed.split(",")}
        <= declared
    )


def test_the_change_log_begins_with_this_version_or_what_comes_after_the_last() -> None:
    first = re.search(
        r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert first
    assert first[1] in (__version__, "Unreleased")


@pytest.mark.slow
def test_templates_and_robots_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    program = (
        "from dynagen import resources as r; print(r.find_templates_folder(), "
        "r.find_robots_folder(), sep='\\n')"
    )
    folders = run(installed / "bin" / "python", "-I", "-c", program, cwd=tmp_path).splitlines()
    assert [Path(folder).is_relative_to(installed) for folder in folders] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "language", "file"),
    [
        (("python", "-I", "-m", "dynagen"), "python", "planar3.py"),
        (("dynagen",), "javascript", "planar3.js"),
    ],
    ids=["module", "script"],
)
def test_the_installed_wheel_generates(
    installed: Path, tmp_path: Path, command: tuple[str, ...], language: str, file: str
) -> None:
    program, *options = command
    run(
        installed / "bin" / program,
        *options,
        "planar3",
        "--lang",
        language,
        "--out",
        tmp_path / "out",
        cwd=tmp_path,
    )
    assert (tmp_path / "out" / file).read_text(encoding="utf-8")
    run(
        installed / "bin" / program,
        *options,
        "report",
        "planar3",
        "--html",
        "page.html",
        cwd=tmp_path,
    )
    assert "</svg>" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    skipped = (".git", ".venv", "build", "dist", ".*_cache", ".hypothesis", "__pycache__")
    other = tmp_path / "elsewhere" / "sources"  # other paths, other times of change
    shutil.copytree(ROOT, other, ignore=shutil.ignore_patterns(*skipped), copy_function=shutil.copy)
    built = []
    for number, source in enumerate((ROOT, other)):
        folder = tmp_path / str(number)
        run(
            *(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source),
            cwd=tmp_path,
        )
        built.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert [Path(name).suffix for name in built[0]] == [".whl", ".gz"]
    assert [name for name in built[0] if built[0][name] != built[1].get(name)] == []


@pytest.mark.slow
def test_the_sdist_is_the_whole_project_and_passes_its_tests(tmp_path: Path) -> None:
    run(
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--no-isolation",
        "--outdir",
        tmp_path,
        ROOT,
        cwd=tmp_path,
    )
    (archive,) = tmp_path.glob("dynagen-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    unpacked = tmp_path / archive.name.removesuffix(".tar.gz")
    for folder in (
        "benchmarks",
        "docs",
        "examples",
        "generated",
        "hardening",
        "published",
        "robots",
        "scripts",
        "templates",
        "tests",
    ):
        written = {
            path.relative_to(ROOT)
            for path in (ROOT / folder).rglob("*")
            if "__pycache__" not in path.parts
        }
        assert written <= {path.relative_to(unpacked) for path in unpacked.rglob("*")}
    run(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "tests/test_readme.py",
        "tests/test_house.py",
        cwd=unpacked,
    )


@pytest.mark.slow
def test_the_oldest_versions_that_are_declared_generate_and_prove(
    wheel: Path, tmp_path: Path
) -> None:
    """On the oldest Python as well, where this machine has it."""
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    (folder,) = (
        folder for folder in zipfile.Path(wheel).iterdir() if folder.name.endswith(".dist-info")
    )
    declared = PathDistribution(folder)
    oldest = declared.metadata["Requires-Python"].removeprefix(">=")
    dependencies = [
        dependency for dependency in declared.requires or () if "extra" not in dependency
    ]
    found = subprocess.run(
        [uv, "python", "find", "--no-python-downloads", oldest],
        capture_output=True,
        text=True,
        check=False,
    )
    environment = tmp_path / "environment"
    run(uv, "venv", "--python", found.stdout.strip() or sys.executable, environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    run(
        uv,
        "pip",
        "install",
        "--python",
        python,
        "--resolution",
        "lowest-direct",
        *dependencies,
        wheel,
        cwd=tmp_path,
    )
    versions = json.loads(
        run(uv, "pip", "list", "--python", python, "--format", "json", cwd=tmp_path)
    )
    listed = {each["name"]: each["version"] for each in versions}
    for dependency in dependencies:
        name, floor = dependency.split(">=")
        assert listed[name.replace(".", "-")].startswith(floor)
    dynagen = environment / "bin" / "dynagen"
    functions = (
        "-f",
        "forward_dynamics",
        "-f",
        "base_regressor",
        "-f",
        "mass_matrix+gravity_forces",
        "--states",
        "50",
    )
    run(dynagen, "scara", *functions, "--out", "c", cwd=tmp_path)
    run(dynagen, "verify", "c", "scara", "--states", "50", cwd=tmp_path)
    run(dynagen, "scara", "--lang", "python", "--out", "python", cwd=tmp_path)
    called = (
        "import dynagen; print(dynagen.compile('scara', states=50)(*[[[0.1] * 4] * 20] * 3).shape)"
    )
    assert run(python, "-W", "error", "-c", called, cwd=tmp_path) == "(20, 4)\n"
    for command in (
        ("check", "scara"),
        ("functions",),
        ("robots",),
        ("schema",),
        ("report", "scara"),
    ):
        assert run(dynagen, *command, cwd=tmp_path)
