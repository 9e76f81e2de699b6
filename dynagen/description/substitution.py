"""RobotDescription with run-time parameters -> the description for given values of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from dynagen.numbers.exact import Exact
from dynagen.numbers.parametric import Parametric

T = TypeVar("T")


def substitute(data: T, values: Mapping[str, Exact]) -> T:
    """Replace every number that depends on parameters, anywhere inside frozen dataclasses and tuples, by its value.

    Args:
        data: a description, or any part of one.
        values: by name; parameters that are not named keep their defaults.
    """
    result: Any = data
    if isinstance(data, Parametric):
        result = data.substitute(values)
    elif isinstance(data, tuple):
        result = tuple(substitute(item, values) for item in data)
    elif is_dataclass(data) and not isinstance(data, type):
        result = replace(data, **{field.name: substitute(getattr(data, field.name), values) for field in fields(data)})
    return cast("T", result)
