"""What is not essential is left out and identified again without, for any estimator and within what
can be built.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.estimation import find_estimator, observe
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.physical_links import compute_eigenvalues, find_nearest_links
from dynagen.apps.identification.uncertainty import ESSENTIAL, Judgement, judge
from dynagen.errors import UsageError
from tests.support.simulated_logs import model_of, simulated_samples

LAWS = ("viscous", "coulomb", "offset")
NOISE = (0.5, 1.0, 0.5)


def judged(estimator: str, essential: str | None, noise: tuple[float, ...] = NOISE) -> Judgement:
    model = model_of(friction=LAWS)
    samples = (
        simulated_samples(model, seed=1, noise=noise),
        simulated_samples(model, seed=5, noise=noise),
    )
    return judge(find_estimator(estimator), observe(model, samples), essential)


def names_of(found: Judgement) -> set[str]:
    every = model_of(friction=LAWS).parameters
    return {every[each.index].name for each in found.dropped}


@pytest.mark.parametrize(
    "estimator", ["weighted", "ordinary", pytest.param("physical", marks=pytest.mark.tools)]
)
def test_what_is_left_out_is_zero_and_the_rest_is_estimated_without_it(estimator: str) -> None:
    model, found = model_of(friction=LAWS), judged(estimator, "test")
    assert found.estimate.estimator == estimator
    kept = [each.name for each in found.estimate.parameters]
    assert {*kept} | names_of(found) == {each.name for each in model.parameters}
    assert len(kept) + len(found.dropped) == len(model.parameters)
    assert names_of(found) & {"column.offset", "upper_arm.offset", "slide.offset"}
    described = {each.name: each.described for each in model.parameters}
    errors = (
        found.estimate.values - [described[name] for name in kept]
    ) / found.estimate.deviations
    assert np.sqrt(np.mean(errors**2)) < 2.5
    assert found.observations.factors.factors.shape == (3, len(kept) + 1, len(kept) + 1)
    assert found.deviations.effective.sum() > 4000


def test_without_a_rule_all_are_kept() -> None:
    found = judged("weighted", None)
    assert found.dropped == ()
    assert len(found.estimate.parameters) == len(model_of(friction=LAWS).parameters)


def test_rules_differ_in_what_they_ask() -> None:
    by_test, by_size = (names_of(judged("weighted", rule, (5.0, 10.0, 5.0))) for rule in ESSENTIAL)
    assert "upper_arm.JyzR" in by_test
    assert by_size < by_test | by_size
    with pytest.raises(UsageError, match="there is no rule `tets`; did you mean `test`"):
        judged("weighted", "tets")


@pytest.mark.tools
@pytest.mark.parametrize("estimator", ["physical", "physical-euclidean"])
def test_physical_estimates_have_links_that_can_be_built_whatever_is_left_out(
    estimator: str,
) -> None:
    found = judged(estimator, "test", (10.0, 20.0, 10.0))
    model = model_of(friction=LAWS)
    links = make_link_parameters(model.robot)
    values = dict(
        zip((each.name for each in found.estimate.parameters), found.estimate.values, strict=True)
    )
    base = np.array([values.get(each.name, 0.0) for each in links.base])
    assert all(
        each[0] > 0 for each in compute_eigenvalues(links, find_nearest_links(links, base)).values()
    )
    assert len(found.dropped) > 5
    braking = [value for name, value in values.items() if name.endswith(("viscous", "coulomb"))]
    assert min(braking) > -1e-6


@pytest.mark.tools
def test_held_friction_keeps_its_value_in_a_physical_estimate() -> None:
    model = model_of(friction=LAWS)
    samples = simulated_samples(model, noise=0.1)
    still = np.zeros_like(samples.qd)
    still[:, :2] = samples.qd[:, :2]
    tau = model.compute_regressor(samples.q, still, samples.qdd) @ model.described_values
    found = judge(
        find_estimator("physical"), observe(model, (replace(samples, qd=still, tau=tau),))
    )
    names = [each.name for each in found.estimate.parameters]
    for name in ("slide.viscous", "slide.coulomb"):
        assert found.estimate.values[names.index(name)] == pytest.approx(
            model.described_values[names.index(name)], rel=1e-4
        )
    assert_allclose(found.estimate.values[names.index("upper_arm.coulomb")], 4.0, rtol=1e-3)
