"""A search ends at its time limit or at an interrupt, with the best program so far."""

import os
import signal
from subprocess import PIPE, Popen
from sys import executable
from time import monotonic

import pytest

from dynagen.dynamics.requests import find_functions
from dynagen.optimizer.compile import compile_function
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.watch import ENDLESS, begin_watch, keep_best_on_interrupt

# The command line, with a line of progress every three seconds.
OFTEN = """
from dynagen.cli import main, output
output._SECONDS = 3
main.main()
"""


@pytest.fixture
def _interrupts():
    """Let SIGINT raise KeyboardInterrupt, although a shell in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interrupts")
def test_the_first_interrupt_ends_searches_and_the_second_one_the_command():
    with keep_best_on_interrupt():
        assert not ENDLESS.is_over
        signal.raise_signal(signal.SIGINT)
        assert ENDLESS.is_over
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not ENDLESS.is_over


def test_a_time_limit_is_over_after_its_seconds():
    assert begin_watch(0).is_over
    assert not begin_watch(None).is_over
    assert not begin_watch(60).is_over


def test_a_search_without_time_costs_no_more_than_the_default():
    model = build_model(load_robot("planar3"))
    (function,), space = find_functions(["inverse_dynamics"], model), DesignSpace(model)
    start = monotonic()
    none, usual = (
        compile_function(function, space, effort).operations.total
        for effort in (Effort("max", time_limit=0), Effort())
    )
    assert none <= usual
    assert monotonic() - start < 10


@pytest.mark.slow
@pytest.mark.usefixtures("_interrupts")
@pytest.mark.parametrize("functions", [["mass_matrix"], ["mass_matrix", "inverse_dynamics"]])
def test_an_interrupted_command_writes_what_it_has_found(tmp_path, functions):
    """With one function in the process of the command, with two in processes of their own."""
    requested = [word for function in functions for word in ("-f", function)]
    command = [executable, "-c", OFTEN, "panda", *requested, "--optimize", "max"]
    command += ["--budget", "100000", "--jobs", "2", "--no-verify", "--out", str(tmp_path / "out")]
    # A terminal interrupts all processes of the group.
    process = Popen(command, stderr=PIPE, stdout=PIPE, text=True, start_new_session=True)
    for _ in range(2):  # lines of progress: now all processes search, also on a busy machine
        assert process.stderr.readline().startswith("dynagen: ")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "best programs so far" in err
    assert (tmp_path / "out" / "panda.manifest.json").exists(), out
