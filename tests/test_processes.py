"""Functions made in several processes: equal files, clear errors, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Timer
from time import monotonic, sleep

import pytest

from dynagen import processes
from dynagen.cli.main import main
from dynagen.errors import UsageError
from dynagen.pipeline import driver, parallel, proof
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.processes import open_pools, run_in_processes
from dynagen.runtime.api import load_robot
from dynagen.watch import ENDLESS, end_searches, keep_best_on_interrupt

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "jacobian")


def _reciprocal(number: int) -> float:
    if number == 0:
        raise UsageError("no reciprocal of zero")
    return 1 / number


def _process(_: int) -> int:
    return os.getpid()


def _die() -> None:
    os._exit(7)


def _search(seconds: float) -> bool:
    """Search until the end of all searches; whether that came before the seconds were over."""
    ends = monotonic() + seconds
    while not ENDLESS.is_over and monotonic() < ends:
        sleep(0.01)
    return ENDLESS.is_over


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{process}/status")
    return status.exists() and "State:\tZ" in status.read_text()


def test_only_the_environment_of_workers_is_changed() -> None:
    before = dict(os.environ)
    found = dict(run_in_processes(os.getenv, [("OMP_NUM_THREADS",), ("PATH",)], 2))
    assert found == {0: before.get("OMP_NUM_THREADS", "1"), 1: before["PATH"]}
    assert dict(os.environ) == before


@pytest.mark.usefixtures("compiled_anew")
def test_results_do_not_depend_on_the_number_of_processes() -> None:
    description = load_robot("planar3")
    told: list[tuple[str, float | None]] = []
    alone = generate(description, Settings(functions=FUNCTIONS, states=20))
    together = generate(
        description,
        Settings(functions=FUNCTIONS, states=20),
        lambda *what: told.append(what),
        workers=3,
    )
    assert together.files == alone.files
    assert [each.program for each in together.functions] == [
        each.program for each in alone.functions
    ]
    assert together.proofs == alone.proofs
    assert together.seconds.keys() == alone.seconds.keys()
    assert ("functions", 1.0) in told
    assert ("proof", 1.0) in told


_SCRIPT = """
from dynagen.processes import run_in_processes
print("run")
print(*run_in_processes(abs, [(-1,), (-2,)], 2))
"""


def test_the_script_of_the_user_runs_only_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[0] == "run"
    assert ran.stdout.count("run") == 1


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize(
    ("function", "robot"),
    [("mass_matrix", "planar3"), ("inverse_kinematics", "puma560")],
    ids=["usual", "inverse with a status"],
)
def test_expected_values_of_a_large_function_come_from_another_process(
    function: str, robot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    description = load_robot(robot)
    settings = Settings(functions=(function,), states=20)
    alone = generate(description, settings)
    monkeypatch.setattr(parallel, "_LARGE", 0)
    monkeypatch.delattr(proof, "compute_expected_values")  # this process cannot compute them
    together = generate(description, settings, workers=2)
    assert together.proofs == alone.proofs
    assert together.files == alone.files


def test_few_values_are_known_before_there_are_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    description, settings = load_robot("planar3"), Settings(functions=FUNCTIONS, states=20)
    share = tuple(
        (function.name, function.program.signature)
        for function in generate(description, settings).functions
    )
    # Of 3, 9, 3 and 18 results, in the order of FUNCTIONS.
    monkeypatch.setattr(parallel, "_MOST_KNOWN", 20 * (3 + 9))
    known = parallel._know.__wrapped__(description, settings, share)
    assert [name for name, *_ in known] == ["inverse_dynamics", "mass_matrix"]


def test_errors_in_shares_are_raised_here() -> None:
    with pytest.raises(UsageError, match="at least one state"):
        generate(load_robot("planar3"), Settings(functions=FUNCTIONS[:2], states=0), workers=2)


def test_a_process_that_dies_ends_the_processes_of_other_pools() -> None:
    def run() -> None:
        with open_pools([1, 1]) as (first, second):
            first(sleep, 600)
            second(_die).result()

    with pytest.raises(RuntimeError, match="status 7"):
        run()


def test_errors_of_expected_values_are_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_LARGE", 0)
    with pytest.raises(UsageError, match="at least one state"):
        generate(load_robot("planar3"), Settings(functions=("jacobian",), states=0), workers=2)


@pytest.mark.usefixtures("compiled_anew")
def test_functions_that_are_left_out_do_not_shift_others(monkeypatch: pytest.MonkeyPatch) -> None:
    # Other processes do not know which functions are left out.
    monkeypatch.setattr(driver, "explain_undecided_base", lambda regressors: "undecided")
    description, settings = load_robot("pendulum"), Settings(functions=("all",), states=20)
    alone = generate(description, settings, workers=1)
    assert alone.request.left_out
    assert generate(description, settings, workers=2).files == alone.files


def test_results_come_with_their_places() -> None:
    assert dict(run_in_processes(_reciprocal, [(1,), (2,), (4,)], 2)) == {0: 1.0, 1: 0.5, 2: 0.25}


def test_results_come_to_other_threads() -> None:
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(
            lambda: dict(run_in_processes(_reciprocal, [(1,), (2,)], 2))
        ).result() == {
            0: 1.0,
            1: 0.5,
        }


@pytest.mark.slow
def test_results_come_where_there_is_no_fork_server_as_on_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_METHOD", "spawn")
    assert processes.count_workers() == 1  # each process would import everything anew
    assert dict(run_in_processes(_reciprocal, [(1,), (2,)], 2)) == {0: 1.0, 1: 0.5}


def test_an_error_is_raised_here() -> None:
    with pytest.raises(UsageError, match="no reciprocal of zero"):
        dict(run_in_processes(_reciprocal, [(1,), (0,), (4,)], 2))


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="status 7"):
        dict(run_in_processes(_die, [()], 1))


def test_a_process_does_one_task_after_the_other_and_ends() -> None:
    processes = set(
        dict(run_in_processes(_process, [(number,) for number in range(5)], 1)).values()
    )
    assert len(processes) == 1
    assert os.getpid() not in processes
    assert all(map(_is_gone, processes))


def test_whoever_gives_up_leaves_no_process_behind() -> None:
    results = run_in_processes(_process, [(number,) for number in range(8)], 2)
    _, process = next(results)
    results.close()
    assert _is_gone(process)


def test_processes_end_when_the_one_that_began_them_is_killed(tmp_path: Path) -> None:
    program = (
        "import time\n"
        "from functools import partial\n"
        "from dynagen.processes import run_in_processes\n"
        "if __name__ == '__main__':\n"
        # A process of the pool is terminated when its result has come: it must not buffer the line.
        "    next(run_in_processes(partial(print, flush=True), [('ready',)], 1))\n"
        "    next(run_in_processes(time.sleep, [(600,)], 1))\n"
    )
    (tmp_path / "begin.py").write_text(program)
    command = [sys.executable, str(tmp_path / "begin.py")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
        assert process.stdout.read() == ""  # until the last process with this output has ended


@pytest.mark.slow
def test_an_interrupt_is_one_line(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "dynagen",
        "planar3",
        "-f",
        "all",
        "--no-verify",
        "--jobs",
        "2",
        "--out",
        str(tmp_path / "x"),
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(
            signal.signal, signal.SIGINT, signal.SIG_DFL
        ),  # a shell's background jobs ignore it
    )
    while not any(map(_is_importing_server, _session_of(process.pid))):
        assert process.poll() is None
        sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)  # to all of them, as a terminal does
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "Interrupted; nothing was written."


def _session_of(leader: int) -> list[Path]:
    return [
        path
        for path in Path("/proc").glob("[0-9]*")
        if _read(path / "stat").rpartition(")")[2].split()[3:4] == [str(leader)]
    ]


def _is_importing_server(process: Path) -> bool:
    return "forkserver" in _read(process / "cmdline") and "numpy" in _read(process / "maps")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the process has ended
        return ""


@pytest.mark.parametrize(
    ("options", "begun"),
    [
        (["-f", "all"], True),
        (["-f", "jacobian", "-f", "mass_matrix"], True),
        (["-f", "all", "--jobs", "1"], False),
        (["-f", "jacobian"], False),
    ],
)
def test_processes_are_begun_before_the_program_is_imported(
    options: list[str], begun: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bool] = []
    import_module("dynagen.cli.generate")  # it must not keep the replaced function
    monkeypatch.setattr(processes, "begin_workers", lambda: calls.append(True))
    with pytest.raises(SystemExit):
        main(["no_such_robot", *options])
    assert bool(calls) == begun


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 1.5], ids=["before the processes start", "while they run"])
def test_searches_in_processes_end_with_those_of_their_parent(delay: float) -> None:
    with keep_best_on_interrupt():  # forgets the end of the searches afterwards
        if delay:
            Timer(delay, end_searches).start()
        else:
            end_searches()
        found = dict(run_in_processes(_search, [(60.0,), (60.0,)], 2))
    assert found == {0: True, 1: True}
