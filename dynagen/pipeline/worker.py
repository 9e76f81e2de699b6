"""Imports of the server process, from which worker processes are forked (`processes`)."""

from __future__ import annotations

from importlib import import_module

from dynagen.memory import reduce_garbage_collection

reduce_garbage_collection()  # before the imports, which make many objects
# numpy imports the second at its first use, which would be in every worker process.
for name in ("dynagen.pipeline.driver", "numpy.random"):
    import_module(name)
