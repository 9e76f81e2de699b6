"""Target `acados`: the proof on BLASFEO's matrices, a solver, planted faults, and errors."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dynagen
from dynagen.codegen.targets import acados as target
from dynagen.toolchain.acados import find_acados
from tests.support.casadi_programs import make_casadi_model

pytestmark = [pytest.mark.slow, pytest.mark.tools]
DT = 0.02
LOADED = """
name: loaded
convention: modified
gravity: [0, -9.81, 0]
parameters: {bob: {value: 2, unit: kg, runtime: true}}
links:
  - {name: rod, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: bob, com: [0.5, 0, 0],
     inertia: [0, 0, 0.1]}
"""
WALKER = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 4, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
"""


def import_model(folder, name):
    """Return the delivered module of a robot, imported from a folder."""
    sys.path.insert(0, str(folder))
    try:
        return __import__(f"{name}_acados")
    finally:
        sys.path.remove(str(folder))


@pytest.fixture
def planar3(tmp_path, monkeypatch):
    """Return the delivered module of planar3, in a working folder of its own."""
    dynagen.generate("planar3", target="acados", out=tmp_path / "planar3", states=60)
    monkeypatch.chdir(tmp_path)
    return import_model(tmp_path / "planar3", "planar3")


def test_the_lines_of_readme_and_docs_run_as_written(tmp_path):
    folder = tmp_path / "planar3_acados"
    dynagen.generate("planar3", target="acados", out=folder, states=60)
    page = Path(__file__).parents[3] / "docs" / "acados.md"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for text, where in ((readme, folder), (page.read_text(encoding="utf-8"), tmp_path)):
        (lines,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        check = "assert ocp.model.x.shape[0] == 6\n"
        program = lines.replace("panda", "planar3") + check
        subprocess.run([sys.executable, "-c", program], cwd=where, check=True)


def make_solver(model, parameters, **options):
    """Return a solver of acados that brings planar3 to rest at q = 0."""
    from acados_template import AcadosOcp, AcadosOcpSolver

    ocp, count = AcadosOcp(), 20
    ocp.model = model
    if parameters is not None:
        ocp.parameter_values = parameters
    ocp.dims.N, ocp.solver_options.tf = count, count * DT
    ocp.cost.cost_type = ocp.cost.cost_type_e = "LINEAR_LS"
    ocp.cost.Vx, ocp.cost.Vu, ocp.cost.Vx_e = np.eye(9, 6), np.eye(9, 3, -6), np.eye(6)
    ocp.cost.W, ocp.cost.W_e = np.diag([1.0] * 6 + [1e-3] * 3), 10 * np.eye(6)
    ocp.cost.yref, ocp.cost.yref_e = np.zeros(9), np.zeros(6)
    ocp.constraints.x0 = np.array([0.4, -0.3, 0.2, 0, 0, 0])
    settings = {
        "integrator_type": "DISCRETE",
        "nlp_solver_type": "SQP",
        "hessian_approx": "GAUSS_NEWTON",
        "nlp_solver_max_iter": 200,
        "tol": 1e-9,
        **options,
    }
    for name, value in settings.items():
        setattr(ocp.solver_options, name, value)
    ocp.code_export_directory = f"{model.name}_solver"
    return AcadosOcpSolver(ocp, json_file=f"{model.name}.json")


def read(solver, count=20):
    """Return states and forces of a solver."""
    states = np.array([solver.get(k, "x") for k in range(count + 1)])
    return states, np.array([solver.get(k, "u") for k in range(count)])


def test_a_solver_comes_to_rest(planar3):
    """Sequential quadratic programming ends at a motion that the step itself confirms."""
    solver = make_solver(planar3.make_model(), planar3.make_parameters(DT))
    assert solver.solve() == 0
    states, forces = read(solver)
    step = dynagen.load("planar3", states=20).step_euler
    q, qd = step(states[:-1, :3], states[:-1, 3:], forces, np.full(len(forces), DT))
    np.testing.assert_allclose(np.hstack([q, qd]), states[1:], rtol=0, atol=1e-8)
    assert np.linalg.norm(states[-1]) < np.linalg.norm(states[0])


def test_iterates_are_those_of_casadi(planar3):
    """CasADi differentiates the same program and prints it in C."""
    found = []
    parameters = planar3.make_parameters(DT)
    for model, values in (
        (planar3.make_model(), parameters),
        (make_casadi_model("planar3", DT), None),
    ):
        solver = make_solver(model, values, nlp_solver_max_iter=4, tol=1e-14)
        solver.solve()
        assert int(np.max(solver.get_stats("sqp_iter"))) == 4
        found.append(read(solver))
    for result, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-9)


def test_run_time_parameters_follow_the_length_of_the_step(tmp_path, monkeypatch):
    dynagen.generate(LOADED, target="acados", out=tmp_path / "loaded", states=60)
    monkeypatch.chdir(tmp_path)
    module = import_model(tmp_path / "loaded", "loaded")
    np.testing.assert_array_equal(module.make_parameters(0.1, bob=3.0), [0.1, 3.0])
    with pytest.raises(ValueError, match=r"expected parameters among \['bob'\], found \['mass'\]"):
        module.make_parameters(0.1, mass=1.0)
    model = module.make_model()
    assert model.p.numel() == 2
    assert (tmp_path / model.dyn_generic_source).exists()


def test_both_ways_to_compute_sines_are_proved(tmp_path):
    for trig in ("vector", "libm"):
        folder = tmp_path / trig
        dynagen.generate("planar3", target="acados", trig=trig, out=folder, states=60)
        text = (folder / "planar3_acados.c").read_text()
        assert ("PLANAR3_TRIG_H" in text) == (trig == "vector")
        assert '#include "planar3' not in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("p = parameters;", "p = (const double *)parameters + 1;", "step_euler"),
        ("jacobian, NU + NX, matrix->A", "jacobian + 1, NU + NX, matrix->A", "derivatives"),
        ("vector->x, vector->xi, values, 1);\n}", "vector->x, 0, values, 1);\n}", "step_euler"),
    ],
    ids=["parameters", "matrix", "offset"],
)
def test_a_fault_in_the_source_is_found(old, new, message, monkeypatch, tmp_path):
    right = target.fill

    def fill(template, **values):
        text = right(template, **values)
        assert old in text or not template.endswith(".c.j2")
        return text.replace(old, new) if template.endswith(".c.j2") else text

    monkeypatch.setattr(target, "fill", fill)
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate("planar3", target="acados", out=tmp_path / "out", states=60)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("robot", "options", "message"),
    [
        ("planar3", {"functions": "mass_matrix"}, "delivers `discrete_step` only, found `mass_ma"),
        ("planar3", {"real": "float"}, "computes in double precision; leave --real out"),
        (
            f"{LOADED}external_wrench: true",
            {},
            "a step with external wrenches or contact forces has no",
        ),
        (WALKER, {}, "--target acados: derivatives that acados requires are not"),
    ],
)
def test_misuse_is_explained(robot, options, message):
    with pytest.raises(dynagen.DynagenError, match=message):
        dynagen.generate(robot, target="acados", **options)


def test_a_missing_acados_is_named(monkeypatch):
    assert (find_acados() / "lib").is_dir()
    monkeypatch.setitem(os.environ, "ACADOS_SOURCE_DIR", "")
    monkeypatch.setattr("dynagen.toolchain.acados.find_spec", lambda name: None)
    with pytest.raises(
        dynagen.DynagenError, match="ACADOS_SOURCE_DIR to the folder of acados, or install"
    ):
        find_acados()
