"""Consoles show text as it is: names from files may hold what rich takes for markup."""

from io import StringIO

from rich.console import Console

from dynagen.report.console import make_table


def test_titles_may_have_brackets() -> None:
    output = StringIO()
    console = Console(file=output, width=80)
    console.print(make_table(console, "arms/left[a].urdf", "a column that is wider than the title"))
    assert "arms/left[a].urdf" in output.getvalue()


def test_long_names_in_tables_are_printed_whole() -> None:
    name = "jacobian_at_fl_foot_jacobian_at_fr_foot_jacobian_at_rl_foot"
    output = StringIO()
    console = Console(file=output, width=40)
    table = make_table(console, "Operations", "kernel", "mul", "add")
    table.add_row(name, "1234", "567")
    console.print(table)
    first_column = [line.split("|")[1].strip() for line in output.getvalue().splitlines()[4:-1]]
    assert "".join(first_column) == name
    assert "1234" in output.getvalue()
