"""Generated programs as expressions of CasADi, to compare its derivatives and code with ours."""

from __future__ import annotations

from typing import Any

import dynagen
from dynagen.codegen.targets.jax_programs import print_programs
from tests.support.libraries import casadi


def make_casadi_model(robot: str, dt: float) -> Any:
    """Return a model of acados whose step of semi-implicit Euler is an expression of CasADi."""
    from acados_template import AcadosModel

    generation = dynagen.generate(robot, "step_euler", verify=False)
    text = print_programs(generation.package).replace("import jax.numpy as jnp", "")
    names: dict[str, Any] = {"jnp": casadi}
    exec(text, names)
    n = generation.package.nv
    model = AcadosModel()
    model.name = f"{robot}_casadi"
    model.x, model.u = casadi.SX.sym("x", 2 * n), casadi.SX.sym("u", n)
    state = casadi.vertsplit(model.x)
    results = names["step_euler"](state[:n], state[n:], casadi.vertsplit(model.u), [dt])
    model.disc_dyn_expr = casadi.vertcat(*results[0], *results[1])
    return model
