# SPDX-License-Identifier: AGPL-3.0-or-later
"""The card beside the pointer."""

from PySide6.QtCore import QPoint, Qt

from core.document.model import Block, Document
from core.pipeline import Pipeline
from core.strategies.recipe import parse_recipe
from gui.pages.hover_card import NOTE_ORDER, chunk_words, cut_words
from gui.state import SlotResult


def rest_on(desk, point):
    desk.qtbot.mouseMove(desk.view.viewport(), point - QPoint(1, 0))
    desk.qtbot.mouseMove(desk.view.viewport(), point)
    desk.qtbot.waitUntil(desk.view.card.isVisible)


def test_a_chunk_is_named_once_the_pointer_rests_on_it(desk):
    desk.add("PBC")

    rest_on(desk, desk.point_of(40).toPoint())

    assert desk.view.card.text().startswith(f"Chunk 1 of {len(desk.chunks)} · ")
    assert desk.view.card.text().endswith("page 1")


def test_a_press_puts_the_card_away(desk):
    desk.add("PBC")
    point = desk.point_of(40).toPoint()
    rest_on(desk, point)

    desk.qtbot.mousePress(desk.view.viewport(), Qt.MouseButton.LeftButton, pos=point)

    assert not desk.view.card.isVisible()


def test_scrolling_puts_the_card_away(desk):
    desk.add("PBC")
    rest_on(desk, desk.point_of(40).toPoint())

    desk.view.verticalScrollBar().setValue(30)

    assert not desk.view.card.isVisible()


def test_a_cut_says_in_one_line_why_it_is_there(desk):
    desk.add("PBC")
    desk.picture()
    label = next(each for each in desk.view.pointer.labels[0] if each.kind == "cut")

    rest_on(desk, (label.box.center() - desk.view.camera.offset).toPoint())

    reason = desk.chunks.start_reasons[desk.state.hovered.ids[0]]
    assert desk.view.card.text().startswith(f"Cut {desk.state.hovered.ids[0]}│")
    assert reason.words in desk.view.card.text()
    assert "\n" not in desk.view.card.text()


def test_the_card_stays_inside_the_view_and_off_the_pointer(desk):
    desk.add("PBC")
    desk.picture()
    port = desk.view.viewport()
    for x in (100, port.width() - 100):
        desk.view.card.follow(QPoint(x, port.height() - 3).toPointF())
        desk.view.card.setText(
            "Cut 1│2: a long line of words that says why it is here and not there"
        )
        desk.view.card._place()
        assert port.rect().contains(desk.view.card.geometry())
        assert desk.view.card.geometry().bottom() < port.height() - 3


def test_the_first_cut_is_the_beginning(desk):
    desk.add("PBC")
    document, chunks = desk.state.current.document, desk.chunks
    assert cut_words(document, chunks, 0, desk.state.chosen_result).endswith("begins here")


def test_a_cut_in_a_footnote_says_why_its_number_is_out_of_order():
    text = "The text goes on. It ends here.\n\n¹ A note at the foot."
    blocks = (Block(0, 31, "paragraph", 0, 0), Block(33, len(text), "footnote", 0, 0))
    document = Document(text, blocks=blocks)
    chunks = Pipeline().chunk(parse_recipe("SBC"), document)
    words = [cut_words(document, chunks, index, SlotResult(chunks)) for index in (1, 2)]
    assert int(chunks.starts[2]) >= 33
    assert [NOTE_ORDER in each for each in words] == [False, True]


def test_nesting_and_parts_are_told():
    document = Document("One two three. Four five six. Seven eight nine. " * 12)
    nested = Pipeline().chunk(parse_recipe("PCC:parent=200,child=60,overlap=0"), document)
    words = [chunk_words(document, nested, index, SlotResult(nested)) for index in (0, 1)]
    count = int((nested.parents == 0).sum())
    assert words[0].endswith(f"· parent of {count} children")
    assert words[1].endswith("· child of 1")

    clusters = Pipeline().chunk(parse_recipe("K2:k=2"), document)
    parts = int(clusters.pointers[1])
    assert parts > 1
    assert chunk_words(document, clusters, 0, SlotResult(clusters)).endswith(f"· {parts} parts")
