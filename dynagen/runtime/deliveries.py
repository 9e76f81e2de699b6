"""Proved wheels and shared libraries for JAX, CasADi or PyTorch, which are stored in the cache.

Without the cache, every process would generate and prove its functions for JAX, CasADi or PyTorch
again.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module

from dynagen.codegen.targets.target import Built
from dynagen.pipeline import driver
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.entries import make_key
from dynagen.runtime.progress import show_progress
from dynagen.toolchain.cache import cache_bytes, find_file

_ENDING = ".delivery.pickle"


@dataclass(frozen=True)
class Delivery:
    """Proved file with functions for another library: a wheel, or a shared library.

    Attributes:
        function: name of the first function in the file.
        built: the file's content, and facts about the file.
    """

    function: str
    built: Built


def find_delivery(description: RobotDescription, settings: Settings, library: str) -> Delivery:
    """Return a delivery from the cache; generate, build and prove it if the cache has none.

    Args:
        description: the robot.
        settings: options of the run: the functions to generate, the target and others.
        library: the imported name of the library that calls the functions, such as "jax". If the
            version of the library changes, the delivery is built and proved again.

    Raises:
        UsageError: the robot has no such function, or an option is invalid.
        ToolchainError: a compiler or the library is not installed.
        VerificationError: the proof of a function failed.
    """
    version = import_module(library).__version__
    robot = sha256(pickle.dumps(description)).hexdigest()
    key = make_key("delivery", robot, repr(settings), library, version)
    if (path := find_file(key, _ENDING)) is not None:
        found: Delivery = pickle.loads(path.read_bytes())
        return found
    with show_progress() as progress:
        generation = driver.generate(description, settings, progress)
    assert generation.built is not None  # targets of libraries always build
    delivery = Delivery(generation.functions[0].name, generation.built)
    cache_bytes(key, _ENDING, pickle.dumps(delivery))
    return delivery
