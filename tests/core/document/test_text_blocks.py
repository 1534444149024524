# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blocks of markdown files, and pages between form feeds."""

from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Document
from core.document.text_blocks import (
    find_markdown_blocks,
    with_form_feed_pages,
    with_markdown_blocks,
)

MARKDOWN = """# Title
intro

- first
  goes on
- second

| x | y |
| - | - |
| 1 | 2 |
after
```
# no heading
```
"""


def kinds(text: str) -> list[tuple[str, int, str]]:
    document = with_markdown_blocks(Document(text))
    return [(b.kind, b.level, text[b.start : b.end]) for b in document.blocks]


def test_the_parts_of_markdown_are_blocks():
    assert kinds(MARKDOWN) == [
        ("heading", 1, "# Title"),
        ("paragraph", 0, "intro"),
        ("list_item", 1, "- first\n  goes on"),
        ("list_item", 1, "- second"),
        ("table", 0, "| x | y |\n| - | - |\n| 1 | 2 |"),
        ("paragraph", 0, "after"),
        ("paragraph", 0, "```\n# no heading\n```"),
    ]


def test_a_table_knows_its_rows_and_its_heading():
    document = with_markdown_blocks(Document(MARKDOWN))
    table = next(block for block in document.blocks if block.kind == "table")

    assert [MARKDOWN[a:b] for a, b in table.rows] == ["| x | y |", "| 1 | 2 |"]
    assert table.header_rows == 1
    assert table.source == "text"


@given(text=st.text(alphabet="# -|`1.a\n\r\t", max_size=60))
def test_blocks_are_in_order_and_hold_all_that_is_not_blank(text):
    blocks = with_markdown_blocks(Document(text)).blocks

    ends = [0, *(block.end for block in blocks)]
    assert all(end <= block.start < block.end for end, block in zip(ends, blocks, strict=False))
    outside = list(text)
    for block in blocks:
        outside[block.start : block.end] = " " * (block.end - block.start)
    assert not "".join(outside).strip()


def test_form_feeds_divide_a_text_into_pages():
    document = with_form_feed_pages(Document("one\ftwo\f"))

    assert [(page.start, page.end) for page in document.pages] == [(0, 4), (4, 8), (8, 8)]
    assert with_form_feed_pages(Document("one")).pages == ()


def test_a_fence_that_is_never_closed_is_text_whatever_comes_before_it():
    text = "# A\n\nText.\n\n## B\n```\nunclosed code\n"
    found = list(find_markdown_blocks(Document(text)))
    assert [(each.kind, each.level, text[each.start : each.end]) for each in found] == [
        ("heading", 1, "# A"),
        ("paragraph", 0, "Text."),
        ("heading", 2, "## B"),
        ("paragraph", 0, "```\nunclosed code"),
    ]
