# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where cuts are drawn: before the character in the direction in which a line is read."""

from dataclasses import replace

import numpy as np

from core.document.model import CharGeometry, Document, Lines, Page
from gui.pages import overlay
from gui.pages.overlay import OverlayMaker, next_glyph, prepare_overlays

CELL = 10.0  # points, the width of each character


def one_line(text: str, *, is_leftward: bool = False) -> OverlayMaker:
    """A line whose characters stand side by side from x = 100, the first one left or right."""
    n = len(text)
    places = np.arange(n)[::-1] if is_leftward else np.arange(n)
    one = np.ones(1, np.float32)
    lines = Lines(
        np.zeros(1, np.int32), one * 100, one * 50, one, one * 0, one * np.float32(8), one * 2
    )
    start = (places * CELL).astype(np.float32)
    geometry = CharGeometry(np.zeros(n, np.int32), start, start + np.float32(CELL), lines)
    pages = (Page(0, 400, 400, 0, 0, n, "1"),)
    return OverlayMaker(Document(text, pages=pages, geometry=geometry))


def path(maker: OverlayMaker, offset: int) -> list[list[float]]:
    found = maker.cut_path(offset)
    assert found is not None
    return found[1].tolist()


def test_a_cut_inside_a_line_goes_under_what_is_before_and_over_what_follows():
    assert path(one_line("abcd"), 1) == [[100, 52], [110, 52], [110, 42], [140, 42]]


def test_a_cut_in_a_line_that_is_read_leftward_has_what_is_before_on_its_right():
    maker = one_line("אבגד", is_leftward=True)
    assert path(maker, 1) == [[140, 52], [130, 52], [130, 42], [100, 42]]


def test_a_cut_at_the_start_of_a_line_goes_over_all_of_it_in_both_directions():
    assert path(one_line("abcd"), 0) == [[100, 42], [100, 42], [100, 42], [140, 42]]
    maker = one_line("אבגד", is_leftward=True)
    assert path(maker, 0) == [[140, 42], [140, 42], [140, 42], [100, 42]]


def test_a_box_ends_where_the_page_ends():
    quads = one_line("a" * 40).span_overlay(np.array([[0, 40]]), 0).quads
    assert quads[..., 0].min() == 100
    assert quads[..., 0].max() == 400  # of 500


def test_what_was_prepared_behind_is_not_made_again(monkeypatch):
    document = one_line("Tides turn.").document
    fresh = replace(document, geometry=replace(document.geometry))
    prepare_overlays(fresh)

    monkeypatch.setattr(overlay, "next_glyph", None)

    assert path(OverlayMaker(fresh), 6)


def test_blanks_of_every_script_show_no_ink():
    maker = one_line("a \u3000\u2003b")
    assert next_glyph(maker.document.geometry, maker.document.text).tolist() == [0, 4, 4, 4, 4, 5]
