"""`dynagen cache`: location and size of the cache of compiled functions, and its deletion."""

from __future__ import annotations

import json

import rich_click as click
from rich.table import Table

from dynagen.cli.commands import command
from dynagen.cli.output import report_form
from dynagen.report.console import make_console
from dynagen.runtime.entries import list_entries
from dynagen.toolchain import cache as cached


@command("dynagen cache", "dynagen cache clear", renamed={"--report": "--format"})
@click.argument("action", type=click.Choice(["info", "clear"]), default="info")
@report_form("text", "json", of="cache")
def cache(action: str, form: str) -> None:
    """Show the cache of compiled functions, or empty it with ACTION `clear`.

    Functions that are compiled and proved from Python are stored in the cache, so that other
    processes can load them. The cache is in the folder DYNAGEN_CACHE, by default in the user's
    cache folder. The cache has at most DYNAGEN_CACHE_SIZE megabytes [default: 1000]; the least
    recently used files are deleted first.
    """
    deleted = cached.clear() if action == "clear" else None
    files, entries = cached.list_files(), list_entries()
    size = sum(map(cached.measure, files))
    if form == "json":
        report = {
            "folder": str(cached.cache_folder()),
            "files": len(files),
            "bytes": size,
            "limit": cached.read_limit(),
            "entries": entries,
        }
        click.echo(
            json.dumps(report if deleted is None else {**report, "deleted": deleted}, indent=2)
        )
        return
    if deleted is not None:
        click.echo(f"{deleted} files deleted from {cached.cache_folder()}")
        return
    click.echo(
        f"{cached.cache_folder()}: {len(files)} files, {size / 1e6:.1f} of at most "
        f"{cached.read_limit() / 1e6:g} MB"
    )
    if entries:
        table = Table(box=None)
        for column in ("robot", "functions", "proof"):
            table.add_column(column)
        for entry in entries:
            names, proofs = ", ".join(entry["functions"]), "; ".join(entry["proofs"])
            table.add_row(entry["robot"], names, proofs)
        make_console().print(table)
