"""Records: what others have published, bundled as data (the folder `published`), checked when it is read."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict
from ruamel.yaml import YAML

from dynagen.resources import published_folder

Polynomial = Annotated[tuple[Fraction, ...], BeforeValidator(lambda given: tuple(Fraction(each) for each in given))]
"""Coefficients of 1, n, n^2, ..., for n joints."""


class Record(BaseModel):
    """A mapping of such a file: it has the keys of its model and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


AnyRecord = TypeVar("AnyRecord", bound=Record)


def read_records(kind: type[AnyRecord], name: str) -> AnyRecord:
    """The content of a file, by its name without the ending."""
    text = (published_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    return kind.model_validate(YAML(typ="safe", pure=True).load(text))
