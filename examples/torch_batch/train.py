"""Training of a feedback law in PyTorch, by simulation of a batch of 4096 robots.

    python train.py

The law moves the arm planar3 from random initial states to the upright position. Its gains are
found by gradient descent. `cost.backward()` computes the gradient through 50 time steps of all
robots, with compiled kernels for accelerations and derivatives.
"""

from pathlib import Path

import numpy as np
import torch

import dynagen.torch

ROBOTS, STEPS, DT, N = 4096, 50, 0.02, 3
UPRIGHT = torch.tensor([np.pi / 2, 0, 0], dtype=torch.float64)
ROUNDS, RATE = 60, 1.5  # gradient steps, and their size for each gain


def simulate(forward_dynamics, law, q, qd):
    """Return the mean cost of all robots, and each robot's largest final distance from upright.

    Args:
        forward_dynamics: function of q, qd and tau, each of shape (ROBOTS, N).
        law: module from q - UPRIGHT and qd to joint forces.
        q: initial positions.
        qd: initial velocities.
    """
    cost = 0.0
    for _ in range(STEPS):
        tau = law(torch.cat([q - UPRIGHT, qd], dim=1))
        qd = qd + DT * forward_dynamics(q, qd, tau)
        q = q + DT * qd
        cost = cost + DT * ((q - UPRIGHT).square().sum(1) + 1e-4 * tau.square().sum(1)).mean()
    return cost, (q - UPRIGHT).abs().amax(1)


def make_law():
    """Return a linear feedback law, which acts like weak springs and dampers before training."""
    law = torch.nn.Linear(2 * N, N, bias=False, dtype=torch.float64)
    with torch.no_grad():
        law.weight.copy_(torch.cat([-20 * torch.eye(N), -torch.eye(N)], dim=1))
    return law


def main(seed=0):
    """Train the feedback law; return the cost of each gradient step, and two arrays of distances.

    The arrays contain each robot's largest final distance from upright (rad), with the law before
    the training and with the law after it.
    """
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(seed)
    forward_dynamics = dynagen.torch.load("planar3", states=100).forward_dynamics
    q = UPRIGHT + 0.3 * torch.randn(ROBOTS, N, generator=generator, dtype=torch.float64)
    qd = 0.3 * torch.randn(ROBOTS, N, generator=generator, dtype=torch.float64)
    law = make_law()
    optimizer = torch.optim.Adam(law.parameters(), lr=RATE)
    costs, distances = [], []
    for _ in range(ROUNDS):
        cost, distance = simulate(forward_dynamics, law, q, qd)
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        costs.append(float(cost.detach()))
        distances.append(distance.detach().numpy())
    print(f"cost {costs[0]:.3f} -> {costs[-1]:.3f} after {ROUNDS} gradients of {ROBOTS} robots")
    print(
        f"upright within 0.1 rad after {STEPS * DT:.0f} s: "
        f"{np.mean(distances[0] < 0.1):.0%} -> {np.mean(distances[-1] < 0.1):.0%} of the robots"
    )
    return costs, distances[0], distances[-1]


def draw(costs, before, after):
    """Draw the costs, and the distances from upright before and after training."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    left.plot(costs)
    left.set(xlabel="gradient step", ylabel="mean cost", ylim=(0, None))
    edges = np.linspace(0, max(before.max(), after.max()), 60)
    for name, values in (("before", before), ("after", after)):
        right.hist(values, edges, histtype="step", label=f"{name} training")
    right.set(xlabel=f"largest error after {STEPS * DT:.0f} s in rad", ylabel="robots")
    right.legend()
    figure.savefig(Path(__file__).with_name("training.png"), dpi=120)


if __name__ == "__main__":
    draw(*main())
