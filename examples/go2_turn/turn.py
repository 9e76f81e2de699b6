"""A Go2 that falls with its trunk tilted by 30 degrees, and turns level in the air.

In the air, the angular momentum cannot change. The trunk turns because the legs follow a closed
path, like the legs of a falling cat. Ipopt computes the joint torques with the full dynamics of the
robot.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import casadi
import numpy as np

import dynagen.casadi

URDF = "cmeel.prefix/share/example-robot-data/robots/go2_description/urdf/go2.urdf"
INTERVALS, DT = 60, 0.01  # length of an interval in s
TILT = np.radians(30)  # of the trunk about its longitudinal axis
NQ, NV, N = 19, 18, 12  # entries of q, entries of v, joints
POSE = np.tile([0.0, 0.8, -1.6], 4)  # hip, thigh and calf of each leg at both ends, rad
OF_TORQUE, OF_VELOCITY, OF_POSE = 1e-2, 1e-1, 1e-1  # weights of squares, per second
FINER = 100  # parts of an interval in the simulation that checks the plan


@dataclass(frozen=True)
class Plan:
    """A planned motion.

    Attributes:
        states: positions (NQ entries) and velocities (NV), shape (INTERVALS + 1, NQ + NV).
        torques: torques of the N joints, shape (INTERVALS, N).
        iterations: iterations of Ipopt.
    """

    states: np.ndarray
    torques: np.ndarray
    iterations: int


def load_go2():
    """Return the Go2 of the package example-robot-data with a floating base."""
    paths = (Path(entry, URDF) for entry in sys.path)
    path = next((each for each in paths if each.is_file()), None)
    if path is None:
        sys.exit("the URDF of the Go2 is not installed: pip install example-robot-data")
    return dynagen.casadi.load(str(path), base="floating", states=20)


def make_step(robot):
    """Return an integrator step as a CasADi function (x, torques, dt) -> x_next.

    The step first normalises the quaternion of the base.
    """
    x, torques, dt = (casadi.MX.sym(*each) for each in (("x", NQ + NV), ("u", N), ("dt", 1)))
    state = casadi.vertcat(x[:3], x[3:7] / casadi.norm_2(x[3:7]), x[7:])
    # No force acts on the base: the first six generalised forces are zero.
    after = robot.discrete_step(state, casadi.vertcat(casadi.DM.zeros(6), torques), dt)
    return casadi.Function("step", [x, torques, dt], [after])


def extrapolate(step):
    """Return a second-order step: twice the result of two half steps minus one whole step.

    The error of an Euler step changes the angular momentum, which the solver would exploit.
    """
    x, torques, dt = step.mx_in()
    halves = step(step(x, torques, dt / 2), torques, dt / 2)
    return casadi.Function("step", [x, torques, dt], [2 * halves - step(x, torques, dt)])


def make_state(tilt):
    """Return a state at rest in the pose POSE, with a tilt about the longitudinal axis."""
    quaternion = [np.sin(tilt / 2), 0, 0, np.cos(tilt / 2)]
    return np.concatenate([np.zeros(3), quaternion, POSE, np.zeros(NV)])


def read_limits(robot):
    """Return the range of each joint, its largest speed and its largest torque."""
    limits = [link.limits for link in robot.description.links if link.limits]
    low, high = np.array([[float(end) for end in each.position] for each in limits]).T
    speed, torque = (
        [float(getattr(each, name)) for each in limits] for name in ("velocity", "effort")
    )
    return low, high, np.array(speed), np.array(torque)


def make_plan(step, limits):
    """Plan the turn by direct multiple shooting; torques and joint velocities are kept small."""
    x = casadi.MX.sym("x", NQ + NV, INTERVALS + 1)
    u = casadi.MX.sym("u", N, INTERVALS)
    joints, rates = x[7:NQ, :], x[NQ + 6 :, :]
    cost = OF_TORQUE * casadi.sumsqr(u) + OF_VELOCITY * casadi.sumsqr(rates)
    gaps = step.map(INTERVALS)(x[:, :-1], u, DT) - x[:, 1:]
    # At the end the vector part of the quaternion is zero: level, at any height.
    ends = x[:, 0] - make_state(TILT), x[3:6, -1], joints[:, -1] - POSE, rates[:, -1]
    problem = {
        "x": casadi.veccat(x, u),
        "f": DT * (cost + OF_POSE * casadi.sumsqr(joints - POSE)),
        "g": casadi.veccat(gaps, *ends),
    }
    options = {
        "ipopt.hessian_approximation": "limited-memory",
        "ipopt.limited_memory_max_history": 20,
        "ipopt.tol": 1e-6,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "print_time": False,
    }
    solver = casadi.nlpsol("solver", "ipopt", problem, options)
    guess = np.array([make_state(TILT * (1 - k / INTERVALS)) for k in range(INTERVALS + 1)])
    lowest, highest, _, torque = limits
    low, high = np.full_like(guess, -np.inf), np.full_like(guess, np.inf)
    low[:, 7:NQ], high[:, 7:NQ] = lowest, highest
    torques = np.tile(torque, INTERVALS)
    solution = solver(
        x0=np.concatenate([guess.ravel(), 0 * torques]),
        lbx=np.concatenate([low.ravel(), -torques]),
        ubx=np.concatenate([high.ravel(), torques]),
        lbg=0,
        ubg=0,
    )
    statistics = solver.stats()
    if not statistics["success"]:
        raise RuntimeError(f"Ipopt: {statistics['return_status']}")
    states, torques = np.split(np.array(solution["x"]).ravel(), [guess.size])
    return Plan(states.reshape(guess.shape), torques.reshape(-1, N), statistics["iter_count"])


def simulate(step, plan):
    """Return the last state of a simulation with a plan's torques, in finer steps than the plan."""
    state = plan.states[0]
    for torques in plan.torques:
        for _ in range(FINER):
            state = step(state, torques, DT / FINER)
    return np.array(state).ravel()


def measure_tilt(state):
    """Return the angle of the rotation from the world axes to the trunk's axes, in degrees."""
    return 2 * np.degrees(np.arcsin(min(1.0, np.linalg.norm(state[3:6]))))


def measure_momentum(robot, states):
    """Return the largest angular momentum about the centre of mass (kg m^2/s)."""
    momenta = [robot.centroidal_momentum_matrix(x[:NQ]) @ x[NQ:] for x in states]
    return max(np.linalg.norm(np.array(each)[3:]) for each in momenta)


def main():
    """Plan the turn, check the plan, print results; return the plan for the figure."""
    robot = load_go2()
    step = make_step(robot)
    limits = read_limits(robot)
    plan = make_plan(extrapolate(step), limits)
    first, last, simulated = map(
        measure_tilt, (plan.states[0], plan.states[-1], simulate(step, plan))
    )
    print(f"Ipopt: {plan.iterations} iterations")
    print(f"tilt of the trunk: {first:.1f} -> {last:.1f} degrees in {INTERVALS * DT:.1f} s")
    print(f"simulated with steps of {1e3 * DT / FINER:.1f} ms: {simulated:.1f} degrees")
    fast = np.abs(plan.states[:, NQ + 6 :]) > limits[2]
    print(f"joints within their speeds: {not fast.any()}")
    print(f"angular momentum: at most {measure_momentum(robot, plan.states):.3f} kg m^2/s")
    return plan


if __name__ == "__main__":
    main()
