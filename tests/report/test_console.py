"""Consoles show text as it is: names from files may hold what rich takes for markup."""

from io import StringIO

from rich.console import Console

from dynagen.report.console import make_table


def test_titles_may_have_brackets() -> None:
    output = StringIO()
    console = Console(file=output, width=80)
    console.print(make_table(console, "arms/left[a].urdf", "a column that is wider than the title"))
    assert "arms/left[a].urdf" in output.getvalue()
