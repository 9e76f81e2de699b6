"""The drawing module: files with the same bytes, SVG inside pages, and what charts show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynagen.errors import ToolchainError, UsageError
from dynagen.report.drawing import (
    COLOURS,
    FORMATS,
    Bar,
    draw_bars,
    draw_inline,
    draw_joints,
    draw_signal,
    draw_to,
    make_axes_logarithmic,
    make_panels,
    use_figure_style,
)
from dynagen.report.task_charts import Box, choose_group_colours, draw_gantt, draw_graph
from tests.support.page_elements import PageElements

HOSTILE = "</svg><script>alert(1)</script> $\\frac{$ \"'&"


def curves():
    figure, axes = make_panels(1, 2, 2.0)
    draw_joints(
        axes[0], np.arange(5), np.arange(10).reshape(5, 2), "position in rad", ["$a", "关节"]
    )
    axes[0].legend()
    axes[1].plot([1, 10, 100], [1e-9, 1e-3, 1.0])
    make_axes_logarithmic(axes[1], "xy")
    return figure


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_figure_has_the_same_bytes_every_time(suffix: str) -> None:
    path = Path(f"figure{suffix}")
    first = draw_to(path, "simulate", curves)
    assert first == draw_to(path, "simulate", curves)
    assert b"Date" not in first
    assert b"dc:date" not in first


def test_texts_of_a_figure_are_texts() -> None:
    texts = set(PageElements(draw_inline("curves", "simulate", curves)).texts)
    assert {"position in rad", "$a", "关节", "1", "10", "100", "10⁻⁸"} <= texts


def test_what_cannot_be_drawn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = r"a\.gif: expected a figure whose name ends in \.svg, \.png, \.pdf"
    with pytest.raises(UsageError, match=expected):
        draw_to(Path("a.gif"), "simulate", curves)
    monkeypatch.setattr("dynagen.resources.find_spec", lambda module: None)
    with pytest.raises(ToolchainError, match=r"pip install 'dynagen\[simulate\]'"):
        draw_to(Path("a.png"), "simulate", curves)


def test_no_text_runs_as_a_script_or_as_a_formula() -> None:
    bars = [Bar(HOSTILE, 3, HOSTILE, HOSTILE), Bar("b", 9, "9", "kind")]
    boxes = [
        Box(0, 40, 0, "#ffffff", HOSTILE, HOSTILE, True),
        Box(40, 5, 1, "#ffffff", "b", "b", False),
    ]
    for draw in (
        lambda: draw_bars(bars, {HOSTILE: COLOURS[0], "kind": COLOURS[1]}, 5),
        lambda: draw_gantt(boxes, [HOSTILE, "row"], 45, HOSTILE),
        lambda: draw_graph(boxes, [0, 1], [(0, 1, True)]),
    ):
        svg = draw_inline(HOSTILE, "schedule", draw)
        elements = PageElements(svg)
        assert elements.needs_nothing_else
        assert HOSTILE in elements.texts
        assert "<script" not in svg
        assert "http" not in svg


def test_a_signal_keeps_every_peak_and_stays_short() -> None:
    t = np.linspace(0, 50, 100_000)
    signal = np.sin(t)
    signal[31_234] = 7.0
    _, axes = make_panels(1, 1, 2.0)
    draw_signal(axes, t, signal)
    x, y = axes.lines[0].get_data()
    assert len(x) <= 502
    assert (x[0], x[-1], x[np.argmax(y)], y.max(), y.min()) == (
        t[0],
        t[-1],
        t[31_234],
        7.0,
        signal.min(),
    )


def test_long_bars_are_cut_and_marked() -> None:
    elements = PageElements(
        draw_inline(
            "bars",
            "view",
            lambda: draw_bars(
                [Bar("a", 1, "1", "k"), Bar("b", 99, "99", "k")], {"k": COLOURS[0]}, 6
            ),
        )
    )
    assert [text for text in elements.texts if text] == ["a", "b", "1", "99", "//"]


def test_boxes_have_labels_where_they_fit_and_tooltips_everywhere() -> None:
    boxes = [
        Box(0, 99, 0, "#ffffff", "wide", "first", False),
        Box(99, 1, 0, "#ffffff", "narrow label", "second", True),
    ]
    elements = PageElements(
        draw_inline("boxes", "schedule", lambda: draw_gantt(boxes, ["processor 1"], 100, "flops"))
    )
    assert {"wide", "first", "second", "processor 1", "flops"} <= set(elements.texts)
    assert "narrow label" not in elements.texts


def test_nodes_stand_near_their_neighbours() -> None:
    """Two chains side by side whose nodes come in the opposite order: no links cross."""
    nodes = [Box(0, 0, 0, "#ffffff", name, name, False) for name in "abAB"]
    with use_figure_style():
        axes = draw_graph(nodes, [0, 0, 1, 1], [(0, 3, True), (1, 2, False)]).axes[0]
    rows = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert rows["a"] == rows["B"] != rows["b"] == rows["A"]


@pytest.mark.parametrize("count", [1, 8, 21])
def test_groups_have_colours_of_their_own(count: int) -> None:
    colours = choose_group_colours([str(number) for number in range(count)])
    assert len(colours) == len(set(colours.values())) == count


def test_bodies_of_a_phase_are_shades_of_one_hue() -> None:
    from colorsys import rgb_to_hls

    groups = ["Joint positions", "Outward, body 1", "Outward, body 2", "Inward, body 2"]
    colours = choose_group_colours(groups)
    parts = [[int(colours[group][k : k + 2], 16) / 255 for k in (1, 3, 5)] for group in groups]
    hues, lights, _ = zip(*(rgb_to_hls(*part) for part in parts), strict=True)
    assert hues[1] == pytest.approx(hues[2], abs=0.02)
    assert lights[1] > lights[2]
    assert len({round(hue, 1) for hue in (hues[0], hues[1], hues[3])}) == 3
