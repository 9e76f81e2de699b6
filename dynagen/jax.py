"""JAX functions of robots, such as `dynagen.jax.load("panda").forward_dynamics`."""

from __future__ import annotations

from dynagen.runtime.jax_robot import JaxRobot, load

__all__ = ["JaxRobot", "load"]
