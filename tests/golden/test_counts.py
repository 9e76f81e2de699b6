"""What every function of every bundled robot costs: reviewed tables, and nothing costs more or less without their diff."""

import pytest
from counts_table import SEARCHED, TABLES, counts_of, print_table

from dynagen.description.loading import load_robot
from dynagen.pipeline import Settings, generate
from dynagen.resources import bundled_robots


def test_operations_are_those_that_were_reviewed(everything, golden):
    golden(f"counts/default/{everything.description.name}.txt", print_table(everything.functions))


@pytest.mark.slow
@pytest.mark.parametrize("robot", SEARCHED)
def test_operations_after_a_short_search_are_those_that_were_reviewed(robot, golden):
    asked = Settings(functions=SEARCHED[robot], verify=False, optimize="max", budget=300)
    golden(f"counts/max/{robot}.txt", print_table(generate(load_robot(robot), asked).functions))


def test_there_is_a_table_for_every_robot_and_no_other():
    assert sorted(path.stem for path in TABLES.glob("default/*")) == sorted(bundled_robots())
    assert sorted(path.stem for path in TABLES.glob("max/*")) == sorted(SEARCHED)


def test_tables_add_up():
    for table in TABLES.rglob("*.txt"):
        _, *lines = table.read_text(encoding="utf-8").splitlines()
        totals = [int(line.split()[-1]) for line in lines]
        assert totals == [counts.total for counts in counts_of(table.stem, table.parent.name).values()]
