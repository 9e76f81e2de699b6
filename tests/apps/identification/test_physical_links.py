"""Links that can be built: the best fit among them, those that have given base parameters, and
which stand in the way.
"""

from collections.abc import Iterable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.link_parameters import (
    LinkParameters,
    extract_parameters,
    make_link_parameters,
    make_pseudo_inertia,
    round_to_decimal,
)
from dynagen.apps.identification.physical_links import (
    choose_consistent_zeros,
    compute_eigenvalues,
    find_nearest_links,
    find_shortfalls,
    fit_physical,
)
from dynagen.apps.identification.triangular import compute_factors
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.runtime.api import as_description
from tests.support.simulated_estimates import estimate_of
from tests.support.simulated_logs import SMALL_ARM, model_of, simulated_samples

PRIORS = ("entropic", "euclidean")


@pytest.fixture(scope="module")
def arm() -> LinkParameters:
    return make_link_parameters(as_description(SMALL_ARM))


def floats(numbers: Iterable[Exact]) -> Array:
    return np.array([float(each) for each in numbers])


def random_links(arm: LinkParameters, rng: np.random.Generator) -> Array:
    """Standard parameters of a robot of which every link is a cloud of masses."""
    standard = np.zeros(len(arm.standard))
    for place in arm.places.values():
        points = np.column_stack([rng.normal(size=(6, 3)) * 0.2, np.ones(6)])
        standard[place : place + 10] = extract_parameters(
            (points.T * rng.uniform(0.1, 2, 6)) @ points
        )
    standard[[*arm.motors.values()]] = rng.uniform(0, 1, len(arm.motors))
    return standard


def test_units_of_base_parameters_are_what_grouping_takes_them_for(arm: LinkParameters) -> None:
    assert_allclose(arm.grouping @ arm.units, np.eye(len(arm.base)), atol=1e-12)


@pytest.mark.tools
@pytest.mark.parametrize("prior", PRIORS)
def test_without_data_the_description_is_what_is_found(arm: LinkParameters, prior: str) -> None:
    model = model_of()
    nothing = np.zeros((len(model.parameters) + 1,) * 2)
    found = fit_physical(arm, nothing, range(len(arm.base)), prior=prior)
    assert_allclose(
        found[: len(arm.base)], arm.described_base, atol=1e-3
    )  # where the distance is flat


@pytest.mark.tools
@pytest.mark.parametrize("prior", PRIORS)
def test_the_best_fit_is_possible_and_no_other_possible_robot_fits_better(
    arm: LinkParameters, prior: str
) -> None:
    model = model_of()
    truth = model.described_values.copy()
    truth[[each.name for each in model.parameters].index("slide.mx")] = (
        3.0  # 2 kg with their centre 1.5 m away: no link
    )
    factor = compute_factors(model, simulated_samples(model, noise=0.5, truth=truth)).apply_weights(
        np.full(3, 2.0)
    )
    count = len(arm.base)
    friction = range(count, len(model.parameters))
    free = np.linalg.solve(factor[:-1, :-1], factor[:-1, -1])
    with pytest.raises(
        UsageError, match="no physically consistent links have these base parameters"
    ):
        find_nearest_links(arm, free[:count])

    def misfit(values: Array) -> float:
        return float(np.linalg.norm(factor @ np.append(values, -1.0)) ** 2)

    found = fit_physical(arm, factor, range(count), friction, prior)
    assert misfit(found) > 1.001 * misfit(free)
    links = find_nearest_links(arm, found[:count], prior)
    assert_allclose(arm.grouping @ links, found[:count], atol=1e-4)
    assert all(each[0] > 0 for each in compute_eigenvalues(arm, links).values())
    rng = np.random.default_rng(3)
    for _ in range(
        50
    ):  # the misfit is convex: it would fall on the way to a robot that fits better
        other = np.concatenate(
            [arm.grouping @ random_links(arm, rng), rng.uniform(0, 5, len(friction))]
        )
        assert misfit(found + 1e-3 * (other - found)) > misfit(found) * (1 - 1e-5)


@pytest.mark.tools
def test_friction_that_would_drive_a_joint_becomes_zero(arm: LinkParameters) -> None:
    model = model_of()
    truth = model.described_values.copy()
    truth[-1] = -2.0
    factor = compute_factors(model, simulated_samples(model, noise=0.5, truth=truth)).apply_weights(
        np.full(3, 2.0)
    )
    braking = range(len(arm.base), len(model.parameters))
    found = fit_physical(arm, factor, range(len(arm.base)), braking)
    assert abs(found[-1]) < 1e-6
    assert fit_physical(arm, factor, range(len(arm.base)))[-1] == pytest.approx(-2.0, abs=0.3)


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(4))
def test_any_possible_robot_has_links_that_reproduce_its_base_parameters_exactly(
    arm: LinkParameters, seed: int
) -> None:
    base = arm.grouping @ random_links(arm, np.random.default_rng(seed))
    exact = tuple(round_to_decimal(value) for value in base)
    near = [round_to_decimal(value, 9) for value in find_nearest_links(arm, base)]
    reached = arm.reproduce(near, exact)
    assert arm.compute_base_values(reached) == exact
    for link, values in compute_eigenvalues(arm, floats(reached)).items():
        assert values[0] > 0, link
        place = arm.places[link]
        assert_allclose(
            make_pseudo_inertia(floats(reached)[place : place + 10])[3, 3],
            float(reached[place]),
            rtol=1e-12,
        )


@pytest.mark.tools
def test_a_link_in_the_way_is_named_with_how_far_it_is_from_a_body(arm: LinkParameters) -> None:
    base = arm.described_base
    names = [each.name for each in arm.base]
    assert find_shortfalls(arm, range(len(base)), base) == ()
    base[names.index("slide.mx")] = 30.0
    (worst, *_) = find_shortfalls(arm, range(len(base)), base)
    assert worst.link in (
        "upper_arm",
        "slide",
    )  # the one's inertia is not observable beside the other's
    assert worst.least < -1
    with pytest.raises(
        UsageError,
        match=rf"{worst.link} \(its mass distribution would be negative somewhere: the least "
        "eigenvalue of its "
        r"pseudo-inertia is -",
    ):
        find_nearest_links(arm, base)
    base = arm.described_base
    base[names.index("slide.Ia")] = -0.1
    with pytest.raises(UsageError, match="the inertia of a motor would be negative"):
        find_nearest_links(arm, base)


@pytest.mark.tools
def test_zeros_that_no_link_can_have_are_left_out_in_their_order(arm: LinkParameters) -> None:
    names = [each.name for each in arm.base]
    wanted = [names.index(name) for name in ("slide.my", "slide.m", "slide.Ia")]
    zeros = choose_consistent_zeros(arm, wanted)
    assert [names[index] for index in zeros] == ["slide.my", "slide.Ia"]  # what moves has a mass
    factor = compute_factors(model_of(), simulated_samples(model_of(), noise=0.5)).apply_weights(
        np.full(3, 2.0)
    )
    kept = [index for index in range(len(names)) if index not in wanted]
    columns = [*kept, *range(len(names), len(factor))]
    with pytest.raises(
        UsageError,
        match=r"no physically consistent links exist with zero for slide.m, .*: "
        r"slide \(",
    ):
        fit_physical(arm, np.linalg.qr(factor[:, columns])[1], kept)


@pytest.mark.tools
def test_prior_decides_between_links_and_not_what_data_tell(arm: LinkParameters) -> None:
    model = model_of()
    samples = simulated_samples(model, noise=0.05)
    estimate = estimate_of(model, samples)
    factor = compute_factors(model, samples).apply_weights(1 / estimate.joint_deviation)
    count = len(arm.base)
    for prior in PRIORS:
        found = fit_physical(arm, factor, range(count), range(count, len(model.parameters)), prior)
        assert np.abs((found - estimate.values) / estimate.deviations).max() < 0.5
