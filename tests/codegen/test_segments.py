"""Listings in segments: all statements remain, lengths are limited, cuts have few live values."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.codegen.segments import Segment, copy_inputs, divide, iterate_runs
from dynagen.ir.program import Element
from dynagen.ir.statements import (
    Access,
    Application,
    Constant,
    Name,
    count_live_values,
    count_most_live,
    iterate_nodes,
    write_statements,
)
from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from tests.support.random_programs import programs


def flat(listing):
    return [statement for block in listing.blocks for statement in block.statements]


def operations(statement):
    return max(
        1, sum(isinstance(node, Application) for node in iterate_nodes(statement.expression))
    )


def length(segment):
    """Return the length of a segment: operations, stores of values, runs of other stores."""
    of_values = sum(isinstance(value, Name) for _, value in segment.stores)
    return sum(map(operations, segment.statements)) + of_values


def stored(listing):
    return {
        (output.argument.name, index): value
        for output, values in listing.results
        for index, value in enumerate(values)
        if not output.argument.is_status
    }


@given(programs(most_operations=40), st.integers(2, 30))
def test_every_statement_and_every_store_is_in_one_segment(program, longest):
    listing = write_statements(program)
    segmentation = divide(listing, longest)
    assert [each for segment in segmentation.segments for each in segment.statements] == flat(
        listing
    )
    stores = [store for segment in segmentation.segments for store in segment.stores]
    assert {(place.argument, place.index): value for place, value in stores} == stored(listing)
    assert len(stores) == len(stored(listing))
    for segment in segmentation.segments if len(segmentation.segments) > 1 else ():
        assert length(segment) <= max(
            longest // 2,
            *(operations(each) + len(stored(listing)) for each in segment.statements),
            1,
        )


@given(programs(most_operations=40), st.integers(2, 30))
def test_what_other_segments_read_is_kept_and_nothing_else(program, longest):
    segmentation = divide(write_statements(program), longest)
    places = {
        name: place
        for place, segment in enumerate(segmentation.segments)
        for name in segment.assigned
    }
    crossing = {
        atom.name
        for place, segment in enumerate(segmentation.segments)
        for atom in segment.read
        if isinstance(atom, Name) and places[atom.name] != place
    }
    assert set(segmentation.kept) == crossing
    assert list(segmentation.kept) == sorted(crossing, key=list(places).index)


@given(programs(most_operations=40), st.integers(2, 30))
def test_copied_inputs_are_read_before_anything_is_stored(program, longest):
    segmentation = divide(write_statements(program), longest)
    copied = copy_inputs(segmentation, lambda element: f"{element.argument}[{element.index}]")
    storing = False
    for segment in copied.segments:
        assert not (storing and any(isinstance(atom, Element) for atom in segment.read))
        assert not any(isinstance(value, Element) for _, value in segment.stores)
        storing |= bool(segment.stores)
    assert [len(segment.stores) for segment in copied.segments] == [
        len(segment.stores) for segment in segmentation.segments
    ]
    names = {name for segment in copied.segments for name in segment.assigned}
    assert all(
        atom.name in names
        for segment in copied.segments
        for atom in segment.read
        if isinstance(atom, Name)
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sets(st.integers(0, 12), max_size=3)), max_size=12
    ).map(
        lambda rows: [
            Access(
                [f"v{step}_{k}" for k in range(count)],
                [f"v{back}_0" for back in backs if back < step and rows[back][0]],
            )
            for step, (count, backs) in enumerate(rows)
        ]
    )
)
def test_a_value_is_live_from_its_step_to_the_last_that_reads_it(steps):
    assigned = [
        {name for step in steps[:place] for name in step.assigned}
        for place in range(len(steps) + 1)
    ]
    read = [
        {name for step in steps[place:] for name in step.read} for place in range(len(steps) + 1)
    ]
    assert count_live_values(steps) == [
        len(before & after) for before, after in zip(assigned, read, strict=True)
    ]


@pytest.fixture(scope="module")
def listing():
    """A function whose sections are short, and that is long enough to be cut in several ways."""
    return write_statements(
        generate(load_robot("planar3"), Settings("c", ("forward_dynamics",)), prove=False)
        .functions[0]
        .program
    )


def test_the_cuts_have_the_fewest_live_values_of_all(listing):
    longest = 60
    sections = [length(Segment((block,), ())) for block in listing.blocks]
    assert max(sections) <= longest // 2  # so that all cuts are between sections
    of_blocks = [len(block.statements) for block in listing.blocks]
    boundaries = [sum(of_blocks[:count]) for count in range(len(of_blocks) + 1)]
    steps = flat(listing)
    names = [
        [atom.name for atom in iterate_nodes(step.expression) if isinstance(atom, Name)]
        for step in steps
    ]
    live = count_live_values(
        [Access(step.assigned, read) for step, read in zip(steps, names, strict=True)]
    )
    results = {
        value.name for _, values in listing.results for value in values if isinstance(value, Name)
    }
    sizes = [operations(step) + len(results.intersection(step.assigned)) for step in steps]

    def cost(cuts):
        fits = all(sum(sizes[start:end]) <= longest // 2 for start, end in pairwise(cuts))
        return sum(live[cut] + 1 for cut in cuts[1:-1]) if fits else None

    inner = boundaries[1:-1]
    choices = [
        cost([0, *(cut for bit, cut in enumerate(inner) if mask >> bit & 1), len(steps)])
        for mask in range(2 ** len(inner))
    ]
    lengths = [
        len(list(segment.statements))
        for segment in divide(listing, longest).segments
        if segment.blocks
    ]
    found = [sum(lengths[:count]) for count in range(len(lengths) + 1)]
    assert cost(found) == min(choice for choice in choices if choice is not None)


def test_a_short_listing_stays_in_one_piece(listing):
    assert len(divide(listing).segments) == 1
    assert count_most_live(listing) > 3


def test_long_runs_of_one_number_are_stored_together():
    zero, one = Constant(Exact(0)), Constant(Exact(1))
    stores = [(Element("m", index), zero if index != 10 else one) for index in range(30)]
    assert [len(run) for run in iterate_runs(stores)] == [10, 1, 19]
    assert [len(run) for run in iterate_runs([*stores[:7], stores[12]])] == [1] * 8
    assert [
        len(run) for run in iterate_runs([(Element("m", index), Name("a")) for index in range(9)])
    ] == [1] * 9
