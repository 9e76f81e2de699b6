"""Generated programs as expressions of CasADi, to compare its derivatives and code with ours."""

from __future__ import annotations

from typing import Any

import dynagen
from dynagen.codegen.targets.jax_programs import print_programs
from tests.support.libraries import casadi


def make_casadi_function(robot: str, function: str) -> Any:
    """Return a generated program as a CasADi function of symbols, with vectors as results."""
    generation = dynagen.generate(robot, function, verify=False)
    text = print_programs(generation.package).replace("import jax.numpy as jnp", "")
    names: dict[str, Any] = {"jnp": casadi}
    exec(text, names)
    (kernel,) = generation.package.kernels
    symbols = [casadi.SX.sym(each.name, each.size) for each in kernel.program.inputs]
    results = names[function](*map(casadi.vertsplit, symbols))
    names_in = [each.name for each in kernel.program.inputs]
    names_out = [each.argument.name for each in kernel.program.results]
    return casadi.Function(
        function, symbols, [casadi.vertcat(*each) for each in results], names_in, names_out
    )


def make_casadi_step(robot: str) -> Any:
    """Return semi-implicit Euler's step (x, u, dt) -> x_next with x = [q; qd], of symbols."""
    step = make_casadi_function(robot, "step_euler")
    q, qd, u, dt = (casadi.SX.sym(step.name_in(k), step.numel_in(k)) for k in range(4))
    after = casadi.vertcat(*step(q, qd, u, dt))
    return casadi.Function(
        "discrete_step", [casadi.vertcat(q, qd), u, dt], [after], ["x", "u", "dt"], ["x_next"]
    )


def make_casadi_model(robot: str, dt: float) -> Any:
    """Return a model of acados whose step of semi-implicit Euler is an expression of CasADi."""
    from acados_template import AcadosModel

    step = make_casadi_step(robot)
    model = AcadosModel()
    model.name = f"{robot}_casadi"
    model.x, model.u = (casadi.SX.sym(name, step.size1_in(name)) for name in ("x", "u"))
    model.disc_dyn_expr = step(model.x, model.u, dt)
    return model
