"""Coordinate descent ends at a local optimum, reproducibly and within its budget."""

from hypothesis import given
from hypothesis import strategies as st

from dynagen.optimizer.descent import descend

OPTIONS = [(0, 1, 2)] * 4
TABLES = st.lists(st.integers(0, 50), min_size=81, max_size=81)


def cost_of(table):
    return lambda choices: table[sum(choice * 3**place for place, choice in enumerate(choices))]


@given(TABLES)
def test_no_single_change_of_the_end_helps_and_no_start_is_better(table):
    starts = [(0, 0, 0, 0), (2, 1, 0, 2)]
    end = descend(starts, OPTIONS, cost_of(table), budget=1000)
    assert end.cost == cost_of(table)(end.choices)
    assert all(end.cost <= cost_of(table)(start) for start in starts)
    for place in range(4):
        for option in range(3):
            assert (
                cost_of(table)((*end.choices[:place], option, *end.choices[place + 1 :]))
                >= end.cost
            )


@given(TABLES, st.integers(1, 30))
def test_the_budget_bounds_the_evaluations(table, budget):
    asked = []

    def cost(choices):
        asked.append(choices)
        return cost_of(table)(choices)

    end = descend([(0, 0, 0, 0)], OPTIONS, cost, budget)
    assert len(asked) == len(set(asked)) == end.evaluations
    assert end.evaluations <= budget + 1
    assert end == descend([(0, 0, 0, 0)], OPTIONS, cost_of(table), budget)
