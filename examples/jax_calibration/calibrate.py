"""Calibrate parameters of an arm from logged torques, by derivatives in JAX.

python calibrate.py
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import dynagen.jax

jax.config.update("jax_enable_x64", True)

HERE = Path(__file__).parent
NAMES = ("tilt", "m_tool", "reach", "m_forearm")
DESCRIBED = np.array([0.0, 0.5, 0.10, 1.5])
TRUE = np.array([0.06, 0.85, 0.145, 1.2])
NOISE = 0.1  # standard deviation of a measured torque, N m
STEPS = 6


def make_log(inverse_dynamics) -> list[jax.Array]:
    """Simulate a log of 2000 samples: q, qd, qdd and torques with noise, each (2000, 2)."""
    time = np.linspace(0, 10, 2000)[:, None]
    rates, amplitudes = np.array([1.3, 2.9]), np.array([1.0, 0.8])
    q = amplitudes * np.sin(rates * time)
    qd = amplitudes * rates * np.cos(rates * time)
    qdd = -(rates**2) * q
    torques = inverse_dynamics(q, qd, qdd, TRUE)
    noise = np.random.default_rng(1).normal(0, NOISE, torques.shape)
    return list(map(jnp.asarray, (q, qd, qdd, torques + noise)))


def calibrate() -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Return all iterates, the standard deviations of the last iterate, and the residuals.

    The iterates are the parameters before the first and after each Gauss-Newton step. The residuals
    are root mean squares of torque errors (N m), one before each step.
    """
    inverse_dynamics = dynagen.jax.load(HERE / "arm.yaml").inverse_dynamics
    q, qd, qdd, measured = make_log(inverse_dynamics)

    def residuals(parameters):
        return (inverse_dynamics(q, qd, qdd, parameters) - measured).ravel()

    @jax.jit
    def improve(parameters):
        """Take a Gauss-Newton step; JAX computes the Jacobian of the residuals, shape (4000, 4)."""
        jacobian, rest = jax.jacfwd(residuals)(parameters), residuals(parameters)
        information = jacobian.T @ jacobian
        step = jnp.linalg.solve(information, jacobian.T @ rest)
        return parameters - step, jnp.sqrt(jnp.mean(rest**2)), jnp.linalg.inv(information)

    steps, errors, parameters = [DESCRIBED], [], jnp.asarray(DESCRIBED)
    for _ in range(STEPS):
        parameters, error, covariance = improve(parameters)
        steps.append(np.asarray(parameters))
        errors.append(float(error))
    return np.array(steps), NOISE * np.sqrt(np.diag(covariance)), errors


def main() -> None:
    """Print the calibrated parameters."""
    steps, deviations, errors = calibrate()
    rows = zip(DESCRIBED, TRUE, steps[-1], deviations, strict=True)
    print("parameter   described     true  calibrated     +-")
    for name, row in zip(NAMES, rows, strict=True):
        print("{:<10} {:10.3f} {:8.3f} {:11.4f} {:.4f}".format(name, *row))
    print("residual after each step in N m:", *(f"{error:.3f}" for error in errors))


if __name__ == "__main__":
    main()
