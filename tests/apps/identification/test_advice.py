"""Advice: what was left out of the model is found by trying."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynagen.apps.identification.advice import Advice, give_advice
from dynagen.apps.identification.identification import identify
from tests.support.simulated_logs import model_of, simulated_log, write_log


@pytest.fixture(scope="module")
def advice(tmp_path_factory: pytest.TempPathFactory) -> Advice:
    """Advice on a log whose first joint has a constant force that no law of the model has."""
    log = simulated_log(model_of(), time=10, rate=100, noise=0.2)
    shifted = {**log, "tau": log["tau"] + np.array([2.0, 0, 0])}
    path = write_log(Path(tmp_path_factory.mktemp("log")) / "log.csv", shifted)
    return give_advice(identify(model_of(), path))


@pytest.mark.slow
def test_the_missing_law_comes_first_with_its_gain(advice: Advice) -> None:
    best, *_ = advice.helpful
    assert best.options == "--friction viscous,coulomb,offset"
    assert best.residuals[0] < advice.usual.residuals[0] / 4
    assert best.parameters == advice.usual.parameters + 3
    sentence = list(advice.list_sentences())[1]
    assert sentence.startswith("- --friction viscous,coulomb,offset: ")
    assert "largest gain at column, " in sentence


@pytest.mark.slow
def test_what_does_not_help_is_named_once(advice: Advice) -> None:
    without = [trial.options for trial in advice.trials if trial not in advice.helpful]
    assert "--estimator robust" in without
    (line,) = (line for line in advice.list_sentences() if line.startswith("- No gain: "))
    assert all(options in line for options in without)
    assert advice.failed == ()
    assert [each["helps"] for each in advice.as_dict()["trials"]].count(True) == len(advice.helpful)
