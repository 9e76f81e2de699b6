"""What all tests share: languages, bundled robots, the command line, golden files, and how hard
hypothesis tries.
"""

from __future__ import annotations

import difflib
import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from dynagen import memory, processes
from dynagen.cli import output
from dynagen.cli.main import main
from dynagen.optimizer.compile import compile_function
from dynagen.pipeline import parallel
from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.robot.loading import load_robot
from tests.support.counts_table import REQUESTS
from tests.support.generated_once import making_once
from tests.support.languages import languages_that_can, languages_without_tool

GOLDEN = Path(__file__).parent / "golden"

# A deadline measures the machine, not the property. In CI the same examples run every time.
settings.register_profile("local", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden files instead of comparing with them",
    )


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes of pytest-xdist, which lasts as long as the tests run."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each process has its own folder inside
        folder = folder.parent
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache_of_modules(shared_folder: Path) -> None:
    """Compiled modules are kept as long as the tests run, and not where the user's are."""
    os.environ["DYNAGEN_CACHE"] = str(shared_folder / "modules")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `language` in every language, or in those with the abilities in its
    mark `language_can`.
    """
    chosen = {
        name for mark in metafunc.definition.iter_markers("parametrize") for name in _names(mark)
    }
    if "language" in metafunc.fixturenames and "language" not in chosen:
        abilities = [
            ability
            for mark in metafunc.definition.iter_markers("language_can")
            for ability in mark.args
        ]
        metafunc.parametrize("language", languages_that_can(abilities))


def _names(parametrize: pytest.Mark) -> list[str]:
    """Return the arguments that a mark `parametrize` gives."""
    names: str | list[str] = parametrize.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


@pytest.hookimpl(tryfirst=True)  # before `-m` deselects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark `tools` on tests with a compiler other than gcc, or in a language that this machine has
    no compiler of.
    """
    lacking = languages_without_tool()
    for item in items:
        parameters = (
            item.callspec.params
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else {}
        )
        if parameters.get("language") in lacking or parameters.get("compiler", "gcc").split()[
            :1
        ] not in ([], ["gcc"]):
            item.add_marker("tools")


@pytest.fixture(scope="session", params=REQUESTS)
def everything(request: pytest.FixtureRequest) -> Generation:
    """Every function of a bundled robot in C, not proved: generated once for all tests."""
    return generate(load_robot(request.param), Settings("c", REQUESTS[request.param]), prove=False)


@pytest.fixture(scope="session", autouse=True)
def made_once(shared_folder: Path) -> Iterator[None]:
    """Compile each function of a robot once for all tests, and set up its references once."""
    folder = shared_folder / "programs"
    folder.mkdir(exist_ok=True)
    with making_once(folder):
        yield


@pytest.fixture
def compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile functions in this test although another test has, because it changes a stage."""
    monkeypatch.setattr(parallel, "compile_function", compile_function)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep imported modules and collected tests out of garbage collections, and make those rare."""
    gc.collect()
    gc.freeze()
    memory.reduce_garbage_collection()


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """`run(*arguments)`: a command line in process, in an empty folder; exit status, standard
    output, standard error.

    Without `--jobs` there is no other process, so that functions are compiled once for all tests.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(processes, "count_workers", lambda: 1)
    monkeypatch.setattr(
        output, "_SECONDS", 600.0
    )  # a machine under load says nothing that others do not

    def run(*arguments: object) -> tuple[int, str, str]:
        status = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            status = exit_.code or 0
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares text with the file tests/golden/<name>, byte for byte."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            return
        if not file.exists():
            pytest.fail(
                f"golden file {name} does not exist; `make golden` writes it", pytrace=False
            )
        expected = file.read_bytes().decode()
        if text != expected:
            lines = difflib.unified_diff(
                expected.splitlines(keepends=True),
                text.splitlines(keepends=True),
                f"golden/{name}",
                "now",
            )
            pytest.fail(
                f"{name} has changed; if it should, `make golden` rewrites it\n{''.join(lines)}",
                pytrace=False,
            )

    return compare
