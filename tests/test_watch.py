"""A search ends at its time limit or at an interrupt, with the best program so far."""

import os
import signal
from subprocess import PIPE, Popen
from sys import executable
from time import monotonic, sleep

import pytest

from dynagen.dynamics.requests import find_functions
from dynagen.optimizer.compile import compile_function
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.watch import ENDLESS, begin_watch, keep_best_on_interrupt


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
@pytest.mark.parametrize("functions", [["mass_matrix"], ["mass_matrix", "inverse_dynamics"]])
def test_an_interrupted_command_writes_what_it_has_found(tmp_path, functions):
    """With one function in the process of the command, with two in processes of their own."""
    requested = [word for function in functions for word in ("-f", function)]
    command = [executable, "-m", "dynagen", "panda", *requested, "--optimize", "max"]
    command += ["--budget", "100000", "--jobs", "2", "--no-verify", "--out", str(tmp_path / "out")]
    process = Popen(command, stderr=PIPE, stdout=PIPE, text=True)
    sleep(8)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "best programs so far" in err
    assert (tmp_path / "out" / "panda.manifest.json").exists(), out
