"""The table of names for a robot with all features; conformance tests cover bundled robots."""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from typing import Any

import pytest

import dynagen.dynamics
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.symbols import PART, Symbol
from dynagen.pipeline.driver import Settings, generate
from tests.support.loaded_arm import EVERY_FUNCTION, LOADED_ARM
from tests.support.names_in_code import check_all_names

JOINED = (
    "coriolis_matrix+forward_dynamics_derivatives",
    "momentum_bias+jacobian_dot_qd+mass_matrix",
)


BY_EITHER_METHOD = tuple(
    function.name
    for function in FUNCTIONS
    if "articulated" in function.methods and function.name in EVERY_FUNCTION
)


@pytest.fixture(
    scope="module",
    params=[("composite", (*EVERY_FUNCTION, *JOINED)), ("articulated", BY_EITHER_METHOD)],
    ids=["composite", "articulated"],
)
def package(request: pytest.FixtureRequest) -> Package:
    """Every function and some that join several, or the functions of articulated-body inertias."""
    method, functions = request.param
    settings = Settings("c", functions, optimize="none", method=method)
    return generate(LOADED_ARM, settings, prove=False).package


@pytest.mark.slow
def test_every_name_is_explained(package: Package, language: str) -> None:
    check_all_names(find_language(language), package)
    check_all_names(find_language(language), replace(package, single_file=True))


def test_no_two_symbols_have_the_same_stem() -> None:
    modules = [
        each.name for each in pkgutil.walk_packages(dynagen.dynamics.__path__, "dynagen.dynamics.")
    ]
    symbols = {
        symbol
        for name in modules
        for value in vars(import_module(name)).values()
        for symbol in _symbols(value)
    }
    assert len(symbols) > 60
    assert [
        stem
        for stem, times in Counter(symbol.stem for symbol in (*symbols, PART)).items()
        if times > 1
    ] == []


def _symbols(value: Any) -> Iterator[Symbol]:
    """Symbols in a variable of a module."""
    if isinstance(value, Symbol):
        yield value
    elif isinstance(value, tuple):
        yield from (each for each in value if isinstance(each, Symbol))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (
            each
            for field in fields(value)
            if isinstance(each := getattr(value, field.name), Symbol)
        )
