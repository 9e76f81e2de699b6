"""What every function of every bundled robot costs: reviewed tables, and nothing costs more or less without their diff."""

import pytest
from bundled import bundled
from counts_table import (
    BUDGETS,
    FLOATING,
    REQUESTS,
    SEARCHED,
    TABLES,
    WITH_PAYLOAD,
    counts_of,
    print_table,
)

from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions


@pytest.mark.slow
def test_operations_are_those_that_were_reviewed(everything, golden):
    golden(f"counts/default/{everything.description.name}.txt", print_table(everything.functions))


@pytest.mark.slow
@pytest.mark.parametrize("robot", SEARCHED)
def test_operations_after_a_short_search_are_those_that_were_reviewed(robot, golden):
    asked = Settings(functions=SEARCHED[robot], verify=False, optimize="max", budget=BUDGETS[robot])
    golden(f"counts/max/{robot}.txt", print_table(generate(load_robot(robot), asked).functions))


@pytest.mark.slow
@pytest.mark.parametrize("robot", WITH_PAYLOAD)
def test_operations_with_a_payload_are_those_that_were_reviewed(robot, golden):
    loaded = bundled(robot, "payload: true")
    made = generate(loaded, Settings(functions=WITH_PAYLOAD[robot], verify=False)).functions
    golden(f"counts/payload/{robot}.txt", print_table(made))


@pytest.mark.slow
@pytest.mark.parametrize("robot", FLOATING)
def test_operations_on_a_floating_base_are_those_that_were_reviewed(robot, golden):
    afloat = load_robot(robot, ReadingOptions(base="floating"))
    golden(
        f"counts/floating/{robot}.txt",
        print_table(generate(afloat, Settings(functions=FLOATING[robot], verify=False)).functions),
    )


def test_there_is_a_table_for_every_robot_and_no_other():
    for kind, robots in {
        "default": REQUESTS,
        "max": SEARCHED,
        "payload": WITH_PAYLOAD,
        "floating": FLOATING,
    }.items():
        assert sorted(path.stem for path in TABLES.glob(f"{kind}/*")) == sorted(robots)


def test_tables_add_up():
    for table in TABLES.rglob("*.txt"):
        _, *lines = table.read_text(encoding="utf-8").splitlines()
        totals = [int(line.split()[-1]) for line in lines]
        assert totals == [
            counts.total for counts in counts_of(table.stem, table.parent.name).values()
        ]
