"""Import of generated Python packages, which are delivered as wheels."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from dynagen.codegen.targets.archive import Archive
from dynagen.toolchain.cache import cache_file


def import_package(archive: Archive, library: str) -> ModuleType:
    """Import the package of an archive from the cache, under a name with a hash of the archive.

    Args:
        archive: a wheel with one Python package.
        library: name of the library that the package requires, such as "jax"; part of the name
            under which the package is imported.
    """
    digest = sha256(archive.content).hexdigest()
    folder = cache_file([digest], f".{library}", archive.unpack)
    (package,) = {Path(path).parts[0] for path in archive.members if path.endswith("__init__.py")}
    name = f"dynagen_{library}_{digest[:32]}"
    if name not in sys.modules:
        path = folder / package
        spec = spec_from_file_location(
            name, path / "__init__.py", submodule_search_locations=[str(path)]
        )
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
