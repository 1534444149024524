# SPDX-License-Identifier: AGPL-3.0-or-later
"""Layers: blocks, text in no chunk, where the embedder stops reading; and sets of layers."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from core.arrays import as_spans
from core.document.model import Block
from core.strategies.chunks import one_span_chunks
from core.strategies.recipe import parse_recipe
from gui.page_menus import LAYER_PRESETS, LayerMenu
from gui.pages.composer import IGNORED_INK, LAYERS, TAIL_INK
from gui.pages.text_pages import typeset
from gui.state import SlotResult
from tests.gui.conftest import PARAGRAPHS, SENTENCE, text_document


def put(desk, *pairs, tails=None):
    """Chunks of the first page; `tails` are where the embedder stops reading them."""
    slot = desk.state.add_slot(parse_recipe("PBC"))
    chunks = one_span_chunks(as_spans(list(pairs)))
    desk.state.put_chunks("a", slot, SlotResult(chunks, tail_starts=tails))


def drawn(desk, ink: QColor) -> int:
    """How many pixels of the view have exactly this colour."""
    image = desk.picture().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32)
    return int((pixels == ink.rgb()).sum())


def test_where_the_embedder_stops_reading_is_a_line_with_words(desk):
    layers = desk.view.shown.layers
    put(desk, (0, 300), (300, 600), tails={1: 400})
    overlay = desk.view._composer.overlay(desk.state.chosen, 0)
    assert overlay.tail_lines.chunks.tolist() == [1]
    assert drawn(desk, TAIL_INK) > 50

    desk.view.set_layers(layers - {"tail"})

    assert drawn(desk, TAIL_INK) == 0


def test_text_in_no_chunk_is_what_the_chunks_leave(desk):
    put(desk, (40, 100), (80, 120))
    maker = desk.view._composer.maker()
    last = maker.document.pages[0].end

    assert maker.outside(desk.chunks, 0).tolist() == [[0, 40], [120, last]]


def test_blank_space_between_chunks_is_not_left_out_text(desk):
    paragraph = len(SENTENCE * 6)
    put(desk, (0, paragraph), (paragraph + 2, len(PARAGRAPHS)))

    assert desk.view._composer.maker().outside(desk.chunks, 0).tolist() == []


def test_text_in_no_chunk_is_dotted_when_its_layer_is_on(desk):
    put(desk, (0, 100))
    desk.view.set_layers({"ignored"})
    shown = drawn(desk, IGNORED_INK)
    desk.view.set_layers(set())
    assert shown > drawn(desk, IGNORED_INK)


def test_blocks_are_boxes_with_their_kind(desk):
    opened = desk.state.current
    block = Block(0, 120, "list_item", 1, 0)
    opened.shown = replace(typeset(text_document(PARAGRAPHS)), blocks=(block,))
    put(desk, (0, 100))
    ((kind, (x0, y0, x1, y1)),) = desk.view._composer.maker().blocks(0)
    assert kind == "list_item"
    assert x0 < x1 and y0 < y1
    assert desk.view._composer.maker().blocks(1) == []

    desk.view.set_layers({"blocks"})
    with_boxes = desk.picture()
    desk.view.set_layers(set())

    assert with_boxes != desk.picture()


@pytest.mark.parametrize("name", LAYER_PRESETS)
def test_a_set_of_layers_is_one_choice_of_the_menu(desk, qtbot, name):
    menu = LayerMenu(desk.view)
    qtbot.addWidget(menu)

    next(action for action in menu.actions() if action.text() == name).trigger()

    assert desk.view.shown.layers == LAYER_PRESETS[name] <= set(LAYERS)
    checked = {each.data() for each in menu.actions() if each.isChecked()}
    assert checked == LAYER_PRESETS[name]


def test_where_the_embedder_stops_reading_is_drawn_when_it_is_known_later(desk):
    put(desk, (0, 300), (300, 600))
    assert drawn(desk, TAIL_INK) == 0

    desk.state.put_tails("a", desk.state.chosen, {1: 400})

    assert drawn(desk, TAIL_INK) > 50
