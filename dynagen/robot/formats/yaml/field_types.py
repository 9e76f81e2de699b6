"""Types of the YAML format's fields: numbers as text, vectors, tensors, texts and sections.

Numbers are kept as the user's text, which `quantities` evaluates.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

_ELEMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_MATRIX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # index in _ELEMENTS by row and column


def _convert_tensor(tensor: Any) -> Any:
    """Convert a tensor that is a mapping or a matrix to a list of six elements."""
    if isinstance(tensor, dict):
        if unknown := [str(name) for name in tensor if name not in _ELEMENTS]:
            raise PydanticCustomError(
                "wrong_elements",
                "expected {known}",
                {"known": ", ".join(_ELEMENTS), "of": unknown[0]},
            )
        return [tensor.get(name, "0") for name in _ELEMENTS]
    if (
        isinstance(tensor, list)
        and len(tensor) == 3
        and all(isinstance(row, list) and len(row) == 3 for row in tensor)
    ):
        for row, column in ((0, 1), (0, 2), (1, 2)):
            if tensor[row][column] != tensor[column][row]:
                of = f"{tensor[row][column]} and {tensor[column][row]}"
                raise PydanticCustomError(
                    "wrong_elements", "expected a symmetric matrix", {"of": of}
                )
        elements = {
            _MATRIX[row][column]: tensor[row][column] for row in range(3) for column in range(3)
        }
        return [elements[index] for index in range(6)]
    return tensor


def _check_three_or_six(numbers: list[str]) -> list[str]:
    if len(numbers) not in (3, 6):
        raise PydanticCustomError(
            "wrong_length", "expected 3 numbers (a diagonal) or 6 (Ixx Iyy Izz Ixy Ixz Iyz)"
        )
    return numbers


def remove_null_defaults(schema: dict[str, Any]) -> None:
    """Remove the default None from the keys of a JSON Schema, because users omit such keys."""
    for entry in schema.get("properties", {}).values():
        if entry.get("default", ...) is None:
            del entry["default"]


_NUMBER: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "a number, or arithmetic such as -pi/2",
}


def _list_of(items: dict[str, Any], length: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": length, "maxItems": length}


_BY_NAME = {
    "type": "object",
    "properties": dict.fromkeys(_ELEMENTS, _NUMBER),
    "additionalProperties": False,
}
_TENSOR = {
    "anyOf": [
        _list_of(_NUMBER, 3),
        _list_of(_NUMBER, 6),
        _list_of(_list_of(_NUMBER, 3), 3),
        _BY_NAME,
    ]
}

Text = Annotated[str, Field(max_length=2000)]
Number = Annotated[str, WithJsonSchema(_NUMBER)]
Three = Annotated[list[Number], Field(min_length=3, max_length=3)]
Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
TwoAxes = Annotated[list[Three], Field(min_length=2, max_length=2)]
Elements = Annotated[
    list[Number],
    BeforeValidator(_convert_tensor),
    AfterValidator(_check_three_or_six),
    WithJsonSchema(_TENSOR),
]
Absent = SkipJsonSchema[None]


class Section(BaseModel):
    """A mapping of the YAML format; unknown keys are rejected."""

    model_config = ConfigDict(
        defer_build=True,
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_extra=remove_null_defaults,
    )


def classify_value(value: object) -> str:
    """Return the tag that selects a type of a pydantic union: `number` for text, else `more`."""
    return "number" if isinstance(value, str) else "more"
