"""Loaded robots: their properties, and functions that are compiled at the first call."""

import pickle
import pydoc
import rlcompleter
from operator import attrgetter

import numpy as np
import pytest

import dynagen
from dynagen.errors import UsageError
from dynagen.runtime.ufunc import Ufunc

Q = np.linspace(-1, 1, 7)


@pytest.fixture(scope="module")
def panda():
    return dynagen.load("panda", states=20, optimize="none")


def test_functions_are_methods_and_compiled_once(panda):
    matrix = panda.mass_matrix(Q)
    assert matrix.shape == (7, 7)
    compiled = panda.mass_matrix
    assert isinstance(compiled, Ufunc)
    assert panda.mass_matrix is compiled
    np.testing.assert_array_equal(compiled(Q), matrix)
    assert (
        repr(panda)
        == f"<Robot panda: 7 joints, {len(panda.functions)} functions, compiled: mass_matrix>"
    )


@pytest.mark.slow
def test_joined_functions_frames_and_methods():
    arm = dynagen.load("two_arm", states=20, optimize="none", real="float")
    matrix, gravity = arm.function("mass_matrix+gravity_forces")(Q)
    assert (matrix.dtype, gravity.shape) == (np.float32, (7,))
    assert arm.frames == ("left_hand", "right_hand")
    assert arm.function("jacobian@left_hand")(Q).shape == (6, 7)
    slow, fast = (
        arm.function("forward_dynamics", method) for method in ("articulated", "composite")
    )
    np.testing.assert_allclose(slow(Q, Q, Q), fast(Q, Q, Q), rtol=1e-3)


def test_completion_shows_all_functions_and_compiles_none(panda):
    fresh = dynagen.load("panda", states=20)
    completer, matches = rlcompleter.Completer({"fresh": fresh}), []
    while match := completer.complete("fresh.forward", len(matches)):
        matches.append(match)
    assert [match.rstrip("(") for match in matches] == [
        f"fresh.{name}" for name in sorted(fresh.functions) if name.startswith("forward")
    ]
    assert {"mass_matrix", "effort_limits", "function"} <= set(dir(fresh))
    assert repr(fresh.jacobian) == "<jacobian of panda, not compiled yet>"
    assert "compiled and proved at the first call" in fresh.jacobian.__doc__
    assert f"jacobian = <jacobian of {fresh.name}, not compiled yet>" in pydoc.plain(
        pydoc.render_doc(fresh.jacobian)
    )
    assert repr(fresh).endswith("compiled: none>")


def test_what_is_looked_at_is_compiled(panda):
    assert panda.gravity_forces.signature == "(7)->(7)"


def test_the_description_s_names_and_limits(panda):
    assert (panda.name, panda.n, panda.nq, len(panda.joints)) == ("panda", 7, 7, 7)
    assert panda.description.links[0].name == panda.joints[0]
    assert panda.position_limits.shape == (2, 7)
    assert (panda.position_limits[0] < panda.position_limits[1]).all()
    assert panda.effort_limits.tolist()[:2] == [87.0, 87.0]
    assert panda.velocity_limits.shape == (7,)
    puma = dynagen.load("puma560")
    assert np.isinf(puma.velocity_limits).all()
    assert puma.position_limits[0].tolist() == [-np.inf] * 6
    floating = dynagen.load("planar3", base="floating")
    assert (floating.n, floating.nq) == (9, 10)


def test_it_goes_to_other_processes_with_what_is_compiled(panda):
    panda.mass_matrix(Q)
    other = pickle.loads(pickle.dumps(panda))
    assert repr(other) == repr(panda)
    np.testing.assert_array_equal(other.mass_matrix(Q), panda.mass_matrix(Q))
    assert other.joints == panda.joints


def test_run_time_parameters_have_names():
    robot = dynagen.load(
        "name: swing\nconvention: modified\ngravity: [0, -9.81, 0]\n"
        "parameters: {bob: {value: 2, runtime: true}, rope: {value: 0.5, runtime: true}}\n"
        "links:\n"
        "  - {name: rod, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: bob, "
        "com: [rope, 0, 0], inertia: [0, 0, 0]}\n",
        states=20,
    )
    assert robot.parameters == {"bob": 2.0, "rope": 0.5}
    assert robot.gravity_forces([0.0], robot.values(bob=4)) == pytest.approx([4 * 9.81 * 0.5])
    with pytest.raises(
        UsageError, match="swing has no run-time parameter `bub`; did you mean `bob`"
    ):
        robot.values(bub=1)


def test_misspelt_names_are_answered_with_the_nearest(panda):
    with pytest.raises(
        AttributeError,
        match="panda has no function or attribute `mas_matrix`; did you mean `mass_matrix`",
    ):
        attrgetter("mas_matrix")(panda)
    with pytest.raises(AttributeError, match="`rnea`; dynagen calls it `inverse_dynamics`"):
        attrgetter("rnea")(panda)
    with pytest.raises(UsageError, match="did you mean `mass_matrix`"):
        panda.function("mas_matrix")
    assert not hasattr(panda, "__array__")


def test_a_notebook_shows_joints_limits_and_calls():
    shown = dynagen.load("panda")._repr_html_()
    assert "<b>panda</b>: 7 joints." in shown
    assert "<td>-1.763 to 1.763</td><td>2.175</td><td>87</td>" in shown
    assert "<code>inverse_dynamics(q, qd, qdd)</code>" in shown
    assert shown.count("<code>") == len(dynagen.load("panda").functions)
    assert "-inf to inf" in dynagen.load("puma560")._repr_html_()


def test_names_of_a_robot_are_text_in_a_notebook():
    robot = dynagen.load_robot(
        "name: a\nconvention: standard\ngravity: [0, 0, -9.81]\nsource: '<script>'\n"
        "links: [{name: b, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 1}]\n"
    )
    assert "&lt;script&gt;" in dynagen.load(robot)._repr_html_()
