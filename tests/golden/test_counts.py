"""The operation counts of every bundled robot: the reviewed table, and no function costs more or
less without its diff.
"""

import csv
import difflib

import pytest

from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions
from tests.support.bundled import bundled
from tests.support.counts_table import (
    BUDGETS,
    FLOATING,
    HEADINGS,
    SEARCHED,
    TABLE,
    VARIANTS,
    WITH_PAYLOAD,
    print_rows,
    replace_rows,
    reviewed_rows,
)


@pytest.fixture
def compare(request):
    """`compare(robot, variant, functions)`: the rows of a robot's variant with those of generated
    functions.
    """

    def compare(robot, variant, functions):
        rows = [*print_rows(robot, variant, functions)]
        if request.config.getoption("--update-golden"):
            replace_rows(robot, variant, rows)
        difference = [*difflib.unified_diff(reviewed_rows(robot, variant), rows, lineterm="", n=0)][
            2:
        ]
        if difference:
            changed = "\n".join(
                [f" {','.join(HEADINGS)}", *(row for row in difference if not row.startswith("@@"))]
            )
            pytest.fail(
                f"counts have changed; if they should, `make golden` rewrites "
                f"{TABLE.name}\n{changed}",
                pytrace=False,
            )

    return compare


@pytest.mark.slow
def test_operations_are_those_that_were_reviewed(everything, compare):
    compare(everything.description.name, "default", everything.functions)


@pytest.mark.slow
@pytest.mark.parametrize("robot", SEARCHED)
def test_operations_after_a_short_search_are_those_that_were_reviewed(robot, compare):
    asked = Settings(functions=SEARCHED[robot], verify=False, optimize="max", budget=BUDGETS[robot])
    compare(robot, "max", generate(load_robot(robot), asked).functions)


@pytest.mark.slow
@pytest.mark.parametrize("robot", WITH_PAYLOAD)
def test_operations_with_a_payload_are_those_that_were_reviewed(robot, compare):
    loaded = bundled(robot, "payload: true")
    compare(
        robot,
        "payload",
        generate(loaded, Settings(functions=WITH_PAYLOAD[robot], verify=False)).functions,
    )


@pytest.mark.slow
@pytest.mark.parametrize("robot", FLOATING)
def test_operations_on_a_floating_base_are_those_that_were_reviewed(robot, compare):
    afloat = load_robot(robot, ReadingOptions(base="floating"))
    compare(
        robot,
        "floating",
        generate(afloat, Settings(functions=FLOATING[robot], verify=False)).functions,
    )


def test_the_table_has_every_robot_and_variant_in_order_and_no_other():
    rows = [tuple(row.split(",")[:2]) for row in TABLE.read_text(encoding="utf-8").splitlines()]
    robots = sorted(VARIANTS["default"])
    expected = [
        (robot, variant)
        for robot in robots
        for variant, listed in VARIANTS.items()
        if robot in listed
    ]
    assert [*dict.fromkeys(rows)] == [("robot", "variant"), *expected]


def test_the_table_adds_up():
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert int(row["total"]) == int(row["mul"]) + int(row["add"]) + int(row["div"]), row
