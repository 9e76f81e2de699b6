"""Imports of the server process, from which worker processes are forked (`processes`)."""

from __future__ import annotations

from importlib import import_module

from dynagen.memory import reduce_garbage_collection

reduce_garbage_collection()  # before the imports, which make many objects
import_module("dynagen.pipeline.driver")
