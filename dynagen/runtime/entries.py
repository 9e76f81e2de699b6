"""Cache entries of compiled and proved functions, which all processes share.

A cache entry is a JSON file. The file names the compiled module, the pickled source code, and for
each function its arguments, help text and proof. The key of an entry contains everything that the
functions depend on: robot, options, dynagen's version and files, Python, numpy, compiler and
processor. The name of a cache file contains the hash of its content (`toolchain.cache`), so that a
damaged entry is never used.

This module does not import the generator, so that it loads fast.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache, lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dynagen.ir.signature import Argument, Signature
from dynagen.runtime.ufunc import Ufunc, UfuncNotes
from dynagen.toolchain.cache import (
    cache_bytes,
    cache_folder,
    describe_processor,
    find_by_name,
    find_file,
    import_module,
    list_files,
)
from dynagen.version import __version__

ENTRY, SOURCE = ".entry.json", ".source.pickle"
"""Suffixes of two kinds of cache files: files with an entry, and files with source code."""
_PACKAGE = Path(__file__).resolve().parents[1]
# Variables that choose the compiler and its options, and the compilers that are tried without them.
_VARIABLES, _COMPILERS = ("CC", "DYNAGEN_CFLAGS"), ("cc", "gcc", "clang")


def make_key(*parts: str) -> tuple[str, ...]:
    """Return the key by which a cache entry is stored and found.

    Args:
        parts: texts that identify the robot and the settings of the functions.

    Returns:
        The parts, followed by texts that identify the version of dynagen, Python, numpy, the
        processor and the compiler.
    """
    return (*parts, *describe_environment())


@lru_cache(maxsize=8)
def _describe_compiler(chosen: str, path: str) -> str:
    """Return the path of the C compiler, with its size and modification time.

    `chosen` is the environment variable CC, which may be empty; `path` is the variable PATH.
    """
    for command in (chosen.split()[0],) if chosen.split() else _COMPILERS:
        if found := shutil.which(command, path=path):
            real = os.path.realpath(found)
            status = os.stat(real)
            return f"{real} {status.st_size} {status.st_mtime_ns}"
    return ""


def describe_environment() -> tuple[str, ...]:
    """Return texts that identify dynagen, Python, numpy, the processor and the compiler."""
    chosen = [os.environ.get(name, "") for name in _VARIABLES]
    return (
        __version__,
        _describe_package(),
        sys.version,
        np.__version__,
        describe_processor(),
        *chosen,
        _describe_compiler(chosen[0], os.environ.get("PATH", "")),
    )


@cache
def _describe_package() -> str:
    """Return sizes and modification times of dynagen's files, which a developer may edit."""
    folders = (_PACKAGE, _PACKAGE.parent / "templates", _PACKAGE.parent / "robots")
    texts = []
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner[:] = [name for name in inner if name != "__pycache__"]
            for name in sorted(names):
                status = os.stat(os.path.join(place, name))
                texts.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return " ".join(texts)


def find_functions(key: Sequence[str]) -> dict[str, Ufunc] | None:
    """Return the functions of the cache entry with a key, by name; None without such an entry."""
    path = find_file(key, ENTRY)
    return None if path is None else _load(path)


@lru_cache(maxsize=256)
def _load(path: Path) -> dict[str, Ufunc] | None:
    """Load the functions of a cache entry by name; None if one of its files is missing.

    A damaged file counts as missing.
    """
    entry = json.loads(path.read_text(encoding="utf-8"))
    module, source = find_by_name(entry["module"]), find_by_name(entry["source"])
    if module is None or source is None:
        return None
    try:
        loaded = import_module(module)
    except ImportError:
        return None
    functions = {}
    for each in entry["functions"]:
        signature = Signature(
            each["name"],
            *(tuple(map(_restore, each[kind])) for kind in ("inputs", "outputs")),
        )
        notes = UfuncNotes(each["robot"], each["counts"], each["text"])
        find_source = partial(_read_source, entry["source"])
        call, dtype = getattr(loaded, each["name"]), np.dtype(each["dtype"])
        functions[each["name"]] = Ufunc(call, signature, dtype, notes, find_source)
        functions[each["name"]].entry = path.name
    return functions


def _restore(stored: Mapping[str, Any]) -> Argument:
    """Return a function's argument from its JSON form, in which tuples are lists."""
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in stored.items()
    }
    return Argument(**values)


def _read_source(name: str) -> Any:
    """Return the source code in the cache file `name`, as a `UfuncSource`."""
    path = find_by_name(name)
    if path is None:
        raise FileNotFoundError(
            f"the source code {name} is no longer in the cache {cache_folder()}"
        )
    return pickle.loads(path.read_bytes())


def store_functions(
    key: Sequence[str],
    functions: Mapping[str, Ufunc],
    module: ModuleType,
    source: Any,
    proofs: Sequence[str],
) -> None:
    """Store functions in the cache; do nothing if the cache is not writable.

    Args:
        key: key of the entry, from `make_key`.
        functions: mapping from name to compiled and proved function.
        module: extension module that contains the functions.
        source: source code of the functions, as a `UfuncSource`.
        proofs: results of the proofs of the functions, one sentence each.
    """
    assert module.__spec__ is not None
    path = Path(str(module.__spec__.origin))
    if path.parent != cache_folder():
        return
    pickled = pickle.dumps(source)
    code = cache_bytes([*key, "source"], SOURCE, pickled)
    entry = {
        "module": path.name,
        "source": code.name,
        "dynagen": __version__,
        "proofs": [*proofs],
        "functions": [
            {
                "name": name,
                "inputs": [*map(asdict, ufunc.inputs)],
                "outputs": [*map(asdict, ufunc.outputs)],
                "dtype": ufunc.dtype.name,
                "robot": ufunc.notes.robot,
                "counts": dict(ufunc.notes.counts),
                "text": ufunc.notes.text,
            }
            for name, ufunc in functions.items()
        ],
    }
    _store(key, json.dumps(entry).encode(), functions)


def list_entries() -> list[dict[str, Any]]:
    """Return the distinct entries of functions in the cache, as plain data.

    Each entry has the keys `robot` (name), `functions` (names), `proofs` (sentences) and `dynagen`
    (version).
    """
    found: dict[str, dict[str, Any]] = {}
    for path in list_files():
        if path.name.endswith(ENTRY) and find_by_name(path.name) is not None:
            entry = json.loads(path.read_text(encoding="utf-8"))
            functions = entry["functions"]
            found[json.dumps(entry)] = {
                "robot": functions[0]["robot"],
                "functions": [each["name"] for each in functions],
                "proofs": entry["proofs"],
                "dynagen": entry["dynagen"],
            }
    return [*found.values()]


def copy_entry(ufunc: Ufunc, key: Sequence[str]) -> None:
    """Store a function's cache entry also under the key `key`, if the function has an entry."""
    path = find_by_name(ufunc.entry) if ufunc.entry else None
    if path is not None:
        _store(key, path.read_bytes(), {})


def _store(key: Sequence[str], content: bytes, functions: Mapping[str, Ufunc]) -> None:
    """Write a cache entry with the given bytes, and set the attribute `entry` of its functions."""
    path = cache_bytes(key, ENTRY, content)
    for ufunc in functions.values():
        ufunc.entry = path.name
