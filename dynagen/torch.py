"""PyTorch functions of robots, such as `dynagen.torch.load("panda").forward_dynamics`."""

from __future__ import annotations

from dynagen.runtime.torch_robot import TorchRobot, load

__all__ = ["TorchRobot", "load"]
