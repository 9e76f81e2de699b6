"""CasADi functions of a robot, which are generated, compiled and proved at their first use."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from dynagen.codegen.package import BinaryFile
from dynagen.codegen.targets.casadi import CASADI
from dynagen.codegen.targets.casadi_functions import DISCRETE_STEP
from dynagen.pipeline.settings import LibraryKeywords
from dynagen.resources import require_extra
from dynagen.runtime.api import AnyRobot, add_options, as_description, read_options
from dynagen.runtime.deliveries import Delivery
from dynagen.runtime.target_robot import PREFIX, TargetRobot
from dynagen.toolchain.cache import cache_bytes

if TYPE_CHECKING:
    from casadi import Function
    from typing_extensions import Unpack


class CasadiRobot(TargetRobot):
    """Robot whose attributes are CasADi functions, such as `panda.forward_dynamics`.

    Each function is generated, compiled for this machine and proved at its first use. The method
    `function` returns functions of named frames, and fused functions. `discrete_step(x, u, dt)`
    returns the state after a step of semi-implicit Euler. The state x = [q; qd] has the shape (nq +
    n,): nq positions and n velocities. The joint forces u have the shape (n,), in N m or N. The
    length dt of the step is in s.

    Attributes:
        description: the robot description.
        settings: options of the run that generates the functions, such as effort and proof.
    """

    library = "CasADi"
    module = "casadi"
    further = (DISCRETE_STEP,)

    def _import(self, request: str, delivery: Delivery) -> Function:
        import casadi

        library = delivery.built
        assert isinstance(library, BinaryFile)  # the target always builds one
        # The file stays in the cache: CasADi stores its path when a function is saved.
        path = cache_bytes(
            [sha256(library.content).hexdigest()], Path(library.path).suffix, library.content
        )
        symbol = DISCRETE_STEP if request == DISCRETE_STEP else delivery.function
        return casadi.external(symbol, str(path))


@add_options(LibraryKeywords)
def load(robot: AnyRobot, **options: Unpack[LibraryKeywords]) -> CasadiRobot:
    """Load a robot whose functions are CasADi functions, with exact sparse Jacobians.

        panda = dynagen.casadi.load("panda")
        qdd = panda.forward_dynamics(q, qd, tau)  # numbers, or symbols of type MX

    Each function is generated and proved at its first use, and stored in a cache for other
    processes.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        options: options of the run, and of `load_robot`: {options}

    Returns:
        The robot, whose attributes are CasADi functions.

    Raises:
        UsageError: the file or bundled robot does not exist, or the file cannot be read.
        RobotDescriptionError: the description is invalid; the error lists all faults.
        ToolchainError: CasADi is not installed.
    """
    require_extra("casadi", "casadi", "for CasADi functions")
    settings, reading = read_options(
        LibraryKeywords, options, target=CASADI.name, native=True, prefix=PREFIX
    )
    return CasadiRobot(as_description(robot, reading), settings)
