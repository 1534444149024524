# SPDX-License-Identifier: AGPL-3.0-or-later
"""Pages that are laid out while others come: the same document, and nothing held too long."""

import gc
import weakref

from core.document.assemble import assemble
from core.document.prepared import _KEPT, Preparation, prepare_page
from tests.core.document.raw_pages import all_of, drawn_pages, lines_at

BODY = ["Some words of a paragraph that fill", "the line, and a few more after them."]


def book(pages: int, begins: int = 0):
    """Pages with a running title from page `begins` on, each with its number below."""
    drawn = []
    for number in range(pages):
        title = lines_at(50, 30, "A title that runs") if number >= begins else lines_at(50, 30)
        foot = lines_at(200, 580, str(number + 1))
        drawn.append(all_of(title, lines_at(50, 100, *BODY), foot))
    return drawn_pages(*drawn)


def test_pages_prepared_ahead_make_the_same_document():
    plain = assemble(book(20, begins=10))

    pages = book(20, begins=10)
    preparation = Preparation()
    for page in pages:
        preparation.add(page)
    preparation.finish()
    ahead = assemble(pages)

    assert ahead.text == plain.text
    assert "A title" not in ahead.text
    assert [block.boxes for block in ahead.blocks] == [block.boxes for block in plain.blocks]


def test_a_page_is_prepared_once_two_more_are_there():
    preparation = Preparation()
    behind = []

    for number, page in enumerate(pages := book(12)):
        preparation.add(page)
        behind.append(number + 1 - sum(each in _KEPT for each in pages))

    assert behind[1:] == [2] * 11


def test_what_is_kept_of_a_page_goes_with_it():
    (page,) = drawn_pages(lines_at(50, 100, *BODY))
    prepare_page(page)
    gone = weakref.ref(page)

    del page
    gc.collect()

    assert gone() is None
