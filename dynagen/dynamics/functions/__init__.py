"""The functions that can be generated, one module each; add one there and to the tuple here, and it is everywhere."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions.bias_forces import BIAS_FORCES
from dynagen.dynamics.functions.coriolis_forces import CORIOLIS_FORCES
from dynagen.dynamics.functions.gravity_forces import GRAVITY_FORCES
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS

FUNCTIONS: tuple[DynamicsFunction, ...] = (INVERSE_DYNAMICS, GRAVITY_FORCES, CORIOLIS_FORCES, BIAS_FORCES)
