"""Base parameters and friction of an arm from measured joint forces, by least squares.

The measurements are simulated here. Yours take the place of `simulate`: positions from the encoders, rates and
accelerations from a filter without delay, joint forces from motor currents.
"""

import numpy as np

import dynagen

ARM = "arm.yaml"
NOISE = 0.2  # N m, standard deviation
JOINTS = 3


def excite(rng, samples, harmonics=5, base=0.2 * np.pi):
    """A periodic trajectory in which every joint moves at several frequencies (Swevers et al., 1997): q, qd, qdd."""
    time = np.linspace(0, 2 * np.pi / base, samples, endpoint=False)
    rates = base * np.arange(1, harmonics + 1)[:, None]
    sines, cosines = rng.normal(size=(2, JOINTS, harmonics))
    q = sines @ np.sin(rates * time) + cosines @ np.cos(rates * time)
    qd = sines @ (rates * np.cos(rates * time)) - cosines @ (rates * np.sin(rates * time))
    qdd = -sines @ (rates**2 * np.sin(rates * time)) - cosines @ (rates**2 * np.cos(rates * time))
    return q.T, qd.T, qdd.T


def simulate(rng, q, qd, qdd):
    """What the arm's sensors would tell."""
    tau = dynagen.compile(ARM)(q, qd, qdd)
    friction = dynagen.compile(ARM, "friction_forces")(qd)
    return tau + friction + NOISE * rng.normal(size=tau.shape)


def identify(regressor, motion, tau):
    """Least squares: the parameters, and their standard deviations."""
    rows = regressor(*motion)  # (samples, joints, parameters)
    matrix, measured = rows.reshape(-1, rows.shape[-1]), tau.reshape(-1)
    parameters, residual, rank, _ = np.linalg.lstsq(matrix, measured, rcond=None)
    assert rank == matrix.shape[1], "the motion does not excite every parameter"
    variance = residual[0] / (len(measured) - rank)
    return parameters, np.sqrt(variance * np.diag(np.linalg.inv(matrix.T @ matrix)))


def drawn():
    """The same parameters from the description."""
    links = dynagen.load_robot(ARM).links
    standard = [
        [link.inertial.mass, *link.inertial.first_moment, *link.inertial.inertia, link.motor_inertia] for link in links
    ]
    base = dynagen.compile(ARM, "base_parameters")(np.ravel(standard).astype(float))
    friction = [[link.friction.viscous, link.friction.coulomb] for link in links]
    return np.concatenate([base, np.ravel(friction).astype(float)])


def main():
    """Identify, compare with the description, and try the result on another trajectory."""
    rng = np.random.default_rng(1)
    regressor = dynagen.compile(ARM, "base_regressor_with_friction")
    motion = excite(rng, 1000)
    parameters, deviations = identify(regressor, motion, simulate(rng, *motion))

    print("parameter            described  identified    +-")
    names = regressor.outputs[0].columns
    for name, described, identified, deviation in zip(names, drawn(), parameters, deviations, strict=True):
        print(f"{name:20} {described:9.4f}   {identified:9.4f}  {deviation:.4f}")

    motion = excite(rng, 1000)  # another one
    rows = regressor(*motion)
    error = rows @ parameters - simulate(rng, *motion)
    error = np.sqrt(np.mean(error**2))
    print(f"On another trajectory the joint forces are right within {error:.3f} N m; the noise is {NOISE} N m.")


if __name__ == "__main__":
    main()
