"""CasADi functions of robots, such as `dynagen.casadi.load("panda").forward_dynamics`."""

from __future__ import annotations

from dynagen.runtime.casadi_robot import CasadiRobot, load

__all__ = ["CasadiRobot", "load"]
