"""Requests: functions by name, at frames and fused; messages for invalid requests."""

import pytest

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.functions.inverse_dynamics import GRAVITY_FORCES
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model

MODEL = build_model(load_robot("two_arm"))


def names(*requests):
    return [function.name for function in find_functions(requests, MODEL)]


def test_functions_are_found_by_name_and_frame_in_the_order_of_the_table():
    assert names("all") == [
        function.name for function in FUNCTIONS if not function.availability.on_request
    ]
    assert names(
        "jacobian@left hand", "jacobian", "forward_kinematics@left hand", "jacobian@left_hand"
    ) == [
        "forward_kinematics_at_left_hand",
        "jacobian",
        "jacobian_at_left_hand",
    ]
    everything = names("all", "jacobian@camera")
    assert everything.index("jacobian_at_camera") == everything.index("jacobian") + 1


def test_joined_functions_come_last_and_once():
    assert names(
        "mass_matrix+gravity_forces", "jacobian@left_hand+mass_matrix", "coriolis_forces"
    ) == [
        "coriolis_forces",
        "mass_matrix_gravity_forces",
        "jacobian_at_left_hand_mass_matrix",
    ]
    assert len(names("mass_matrix+gravity_forces", "mass_matrix+gravity_forces")) == 1


def test_a_request_says_how_to_ask_again():
    requests = ("gravity_forces", "jacobian@left_hand", "jacobian@left_hand+mass_matrix")
    assert tuple(function.request for function in find_functions(requests, MODEL)) == (
        "gravity_forces",
        "jacobian@left_hand",
        "jacobian@left_hand+mass_matrix",
    )


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("jacobi@camera", "unknown function `jacobi`; did you mean `jacobian`?"),
        ("mass_matrix+gravity", "unknown function `gravity`"),
        ("mass_matrix+", "unknown function ``"),
        ("mass", "`mass`; functions with this word: mass_matrix, .*, center_of_mass$"),
        ("levitation", "`levitation`; `dynagen functions` lists all functions$"),
        ("mass_matrix+all", "`all` cannot be combined"),
        ("gravity_forces@camera", "gravity_forces does not depend on a frame"),
        ("mass_matrix+gravity_forces+mass_matrix", "mass_matrix occurs more than once"),
        ("jacobian@left_hand+jacobian@left hand", "jacobian_at_left_hand occurs more than once"),
        (
            "inverse_dynamics+forward_dynamics",
            "forward_dynamics has the input tau, which inverse_dynamics computes.*: -f inverse",
        ),
        (
            "background+mass_matrix+synchronous",
            "synchronous has the input state, which background computes",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(request_, message):
    with pytest.raises(UsageError, match=message):
        names(request_)


def test_a_function_without_a_frame_says_so():
    with pytest.raises(UsageError, match="does not depend on a frame"):
        GRAVITY_FORCES.bind_to_frame("camera")


def test_names_of_others_and_lists_with_commas_are_answered_with_what_to_write():
    for word, name in (
        ("RNEA", "inverse_dynamics"),
        ("crba", "mass_matrix"),
        ("aba", "forward_dynamics"),
        ("computeRNEADerivatives", "inverse_dynamics_derivatives"),
        ("computeCentroidalDynamicsDerivatives", "centroidal_momentum_derivatives"),
        ("getFrameJacobian", "jacobian"),
    ):
        with pytest.raises(
            UsageError, match=f"unknown function `{word}`; dynagen calls it `{name}`"
        ):
            names(word)
    with pytest.raises(
        UsageError,
        match=r"-f mass_matrix -f gravity_forces\), or write .* \(-f mass_matrix\+gravity_forces\)",
    ):
        names("mass_matrix,gravity_forces")
