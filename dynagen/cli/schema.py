"""`dynagen schema`: the format of robot descriptions, for editors."""

from __future__ import annotations

import json

import click

from dynagen.description.yaml.schema import RobotSchema


@click.command()
def schema() -> None:
    """Print the JSON Schema of robot descriptions.

    It checks structure: what numbers mean, and whether names are known, only the loader can tell.
    """
    click.echo(json.dumps(json_schema(), indent=2))


def json_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of robot descriptions."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **RobotSchema.model_json_schema()}
