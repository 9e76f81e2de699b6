"""dynagen: the smallest correct dynamics code for exactly your robot."""

from dynagen.api import compile, generate, load_robot
from dynagen.errors import DynagenError
from dynagen.version import __version__

__all__ = ["DynagenError", "__version__", "compile", "generate", "load_robot"]
